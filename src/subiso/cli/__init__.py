"""The command line, one thin file per command; the words are those of the Python functions."""
