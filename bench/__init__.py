"""Benchmarks of the repository: cases with expected answers, and the results of earlier runs."""
