"""subiso: find, count and watch patterns in graphs."""
