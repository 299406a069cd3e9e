"""`python -m subiso` is the command `subiso`."""

from subiso.cli.main import main

if __name__ == "__main__":
    main()
