"""Filters: from a query to the candidates of each pattern vertex. Sits between pattern/ and plan/."""
