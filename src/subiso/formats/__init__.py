"""Graph files in and out: read, write, detect, verify. One module per format; SPEC.md defines our own."""

from subiso.formats.binary import verify
from subiso.formats.registry import FORMATS, Format, detect, read, write

__all__ = ["FORMATS", "Format", "detect", "read", "verify", "write"]
