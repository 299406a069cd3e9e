"""Storage: the layouts an engine reads a graph through. Sits between graph/ and plan/."""
