"""Opens and replaces files for the formats: gzip, blocks of whole lines, atomic writing, and every OS error
as FormatError.
"""

from __future__ import annotations

import gzip
import io
import os
import secrets
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from subiso.errors import FormatError

BLOCK = 32 << 20  # bytes of text handed to the parser at a time: the reader's memory beside the columns
HEAD = 64 << 10  # bytes looked at to tell what a file is
LONGEST_LINE = 1 << 30
SHOWN_LINE = 1 << 20
GZIP_MAGIC = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"


@contextmanager
def os_errors(path: str | os.PathLike[str], doing: str = "read") -> Iterator[None]:
    """Turns what the operating system and gzip complain about into FormatError naming the file."""
    name = os.fspath(path)
    try:
        yield
    except FileNotFoundError as error:
        hint = "check the path" if doing == "read" else "make the folder first"
        raise FormatError("no such file or folder", path=name, hint=hint) from error
    except IsADirectoryError as error:
        hint = "give a file; of folders, only GraphMiner's (with graph.meta.txt in it) can be read"
        raise FormatError("is a folder", path=name, hint=hint) from error
    except PermissionError as error:
        raise FormatError(f"may not {doing} it: permission denied", path=name) from error
    except EOFError as error:
        hint = "the file is incomplete: fetch it again"
        raise FormatError("the gzip stream ends too early", path=name, hint=hint) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        hint = "the file is damaged: fetch it again"
        raise FormatError(f"not a sound gzip stream: {error}", path=name, hint=hint) from error
    except OSError as error:
        raise FormatError(f"cannot {doing} it: {error.strerror or error}", path=name) from error


def is_gzip(path: str | os.PathLike[str]) -> bool:
    """True by content, not by suffix."""
    with os_errors(path), open(path, "rb") as file:
        return file.read(2) == GZIP_MAGIC


def suffix_of(path: str | os.PathLike[str]) -> str:
    """The suffix that tells the format, in lower case, a final .gz taken off.

    >>> suffix_of("web.TXT.gz"), suffix_of("g.subiso"), suffix_of("edges")
    ('.txt', '.subiso', '')
    """
    name = os.path.basename(os.fspath(path)).lower().removesuffix(".gz")
    return os.path.splitext(name)[1]


class TextSource:
    """A text file, plain or gzip, read as blocks of whole lines. A byte order mark is dropped; NUL bytes are
    refused.
    """

    def __init__(self, path: str | os.PathLike[str], *, block: int = BLOCK) -> None:
        self.path = os.fspath(path)
        self.block = block
        self.head = read_head(path)
        if not self.head:
            raise FormatError("the file is empty", path=self.path)
        if b"\0" in self.head:
            hint = "this looks like binary data; pass format= if it is a known binary format"
            raise FormatError("not a text file: it holds NUL bytes", path=self.path, hint=hint)
        self.head = self.head.removeprefix(_BOM)

    def lines(self) -> Iterator[str]:
        """The file's lines from the top, without their ends and cut to 1 MB, for looking at headers; stop
        early.

        Bytes that are not UTF-8 come out as U+FFFD.
        """
        with os_errors(self.path), open_bytes(self.path) as raw:
            file = raw if isinstance(raw, gzip.GzipFile) else io.BufferedReader(raw)
            first = True
            while line := file.readline(SHOWN_LINE):
                rest = line
                while not rest.endswith(b"\n") and (rest := file.readline(SHOWN_LINE)):
                    pass
                if first:
                    line, first = line.removeprefix(_BOM), False
                yield line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", errors="replace")

    def blocks(self) -> Iterator[NDArray[np.uint8]]:
        """Blocks that end after a newline, the last one perhaps without; valid until the next one is asked
        for.
        """
        with os_errors(self.path), open_bytes(self.path) as file:
            size = os.path.getsize(self.path) * (8 if isinstance(file, gzip.GzipFile) else 1)
            buffer = bytearray(min(self.block, max(size + 1, 1 << 12)))  # a small file needs no large buffer
            filled, first = 0, True
            while True:
                count = file.readinto(memoryview(buffer)[filled:])
                if not count:
                    break
                filled += count
                if first and filled >= len(_BOM):
                    if buffer.startswith(_BOM):
                        del buffer[: len(_BOM)]
                        filled -= len(_BOM)
                    first = False
                cut = buffer.rfind(b"\n", 0, filled) + 1
                if cut:
                    yield np.frombuffer(buffer, np.uint8, cut)
                    buffer[: filled - cut] = buffer[cut:filled]
                    filled -= cut
                elif filled == len(buffer):
                    buffer = self._longer(buffer)
            if filled:
                yield np.frombuffer(buffer, np.uint8, filled)

    def _longer(self, buffer: bytearray) -> bytearray:
        if len(buffer) >= LONGEST_LINE:
            raise FormatError("a line is longer than 1 GiB: this is not a graph's text file", path=self.path)
        return buffer + bytearray(len(buffer))

    def error(self, message: str, *, line: int | None = None, hint: str | None = None) -> FormatError:
        """A FormatError that names this file."""
        return FormatError(message, path=self.path, line=line, hint=hint)


def open_bytes(path: str | os.PathLike[str]) -> Any:
    """The file's bytes, unpacked where it is gzip by content; a .gz that is not gzip is refused."""
    file = open(path, "rb", buffering=0)  # noqa: SIM115 (the caller closes it)
    try:
        magic = file.read(2)
        file.seek(0)
        if magic == GZIP_MAGIC:
            return _OwningGzip(file)
        if os.fspath(path).lower().endswith(".gz") and magic:
            raise FormatError("named .gz but not gzip", path=os.fspath(path), hint="rename or compress it")
        return file
    except BaseException:
        file.close()
        raise


class _OwningGzip(gzip.GzipFile):
    """A GzipFile that closes the file beneath it."""

    def __init__(self, raw: io.FileIO) -> None:
        super().__init__(fileobj=raw, mode="rb")
        self._raw = raw

    def close(self) -> None:
        super().close()
        self._raw.close()


def read_head(path: str | os.PathLike[str], size: int = HEAD) -> bytes:
    """The first bytes of the (unpacked) file."""
    with os_errors(path), open_bytes(path) as file:
        parts, left = [], size
        while left > 0:
            part = file.read(left)
            if not part:
                break
            parts.append(part)
            left -= len(part)
        return b"".join(parts)


@contextmanager
def replacing(path: str | os.PathLike[str], *, sync: bool = False) -> Iterator[IO[bytes]]:
    """A file to write that takes the place of `path` only when all went well; a reader never sees half of
    it.
    """
    target = Path(path)
    if target.is_dir():
        raise FormatError("is a folder", path=str(target), hint="give a file name")
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
    try:
        with os_errors(path, "write"):
            with open(temporary, "xb") as file:
                yield file
                if sync:
                    file.flush()
                    os.fsync(file.fileno())
            os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def replacing_text(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Like `replacing`, through gzip where the name ends in .gz (no time stamp, so the same graph gives the
    same bytes).
    """
    with replacing(path) as file:
        if not os.fspath(path).lower().endswith(".gz"):
            yield file
            return
        with gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=6, mtime=0) as packed:
            yield packed
