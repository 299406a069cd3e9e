"""`subiso bench`: run the benchmark suites, beside the peers' recorded figures."""
