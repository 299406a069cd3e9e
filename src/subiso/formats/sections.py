"""Header and section table of the .subiso format: packing, unpacking, checking. SPEC.md beside this file is
the definition.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.errors import FormatError

MAGIC = b"\x89SUBISO\n"
MAJOR, MINOR = 1, 0
BYTE_ORDER = 0x01020304
HEADER_SIZE, ENTRY_SIZE, ALIGN = 128, 64, 64
MAX_SECTIONS = 1 << 16
DIRECTED, LOOPS, PARALLEL = 1, 2, 4
_HEADER = struct.Struct("<8sHHIIIQQQQ64sII")
_ENTRY = struct.Struct("<16s8sQQQI12s")
_DTYPES = {"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"}


@dataclass(frozen=True)
class Header:
    num_vertices: int
    num_edges: int
    flags: int
    file_size: int
    sections: int


@dataclass(frozen=True)
class Section:
    name: str
    dtype: str
    offset: int
    size: int
    count: int
    checksum: int


def pad(size: int) -> int:
    """Bytes up to the next section's place.

    >>> pad(0), pad(1), pad(64), pad(65)
    (0, 63, 0, 63)
    """
    return -size % ALIGN


def pack(header: Header, sections: list[Section]) -> bytes:
    """The header and the table, checksums filled in."""
    table = b"".join(
        _ENTRY.pack(
            s.name.encode("ascii"), s.dtype.encode("ascii"), s.offset, s.size, s.count, s.checksum, bytes(12)
        )
        for s in sections
    )
    fields = (
        MAGIC, MAJOR, MINOR, BYTE_ORDER, HEADER_SIZE, header.sections, header.file_size,
        header.num_vertices, header.num_edges, header.flags, bytes(64), zlib.crc32(table),
    )  # fmt: skip
    head = _HEADER.pack(*fields, 0)[:-4]
    return head + struct.pack("<I", zlib.crc32(head)) + table


def unpack(raw: Any, path: str) -> tuple[Header, dict[str, Section]]:
    """Reads and checks the header and the table; `raw` is the whole file as a buffer. No array is touched."""
    if bytes(raw[: len(MAGIC)]) != MAGIC[: len(raw)]:
        hint = "another kind of file, or one damaged in transfer as text"
        raise FormatError("not a .subiso file: the magic number is wrong", path=path, hint=hint)
    if len(raw) < HEADER_SIZE:
        raise FormatError(f"{len(raw)} bytes are too few for a header", path=path, hint="the file is cut off")
    _, major, _, order, size, count, file_size, n, m, flags, zeros, table_sum, head_sum = _HEADER.unpack_from(
        raw
    )
    if zlib.crc32(bytes(raw[: HEADER_SIZE - 4])) != head_sum:
        raise FormatError(
            "header: the checksum is wrong", path=path, hint="the file is damaged: fetch or write it again"
        )
    if major != MAJOR:
        raise FormatError(
            f"version {major} of the format is unknown here", path=path, hint="use a newer subiso"
        )
    if order != BYTE_ORDER or size != HEADER_SIZE or any(zeros) or flags > 7 or count > MAX_SECTIONS:
        raise FormatError("header: a field has a value this version does not know", path=path)
    if file_size != len(raw):
        hint = "the file is cut off" if len(raw) < file_size else "something was appended"
        raise FormatError(f"{len(raw)} bytes where the header says {file_size}", path=path, hint=hint)
    end = HEADER_SIZE + count * ENTRY_SIZE
    if end > len(raw) or zlib.crc32(bytes(raw[HEADER_SIZE:end])) != table_sum:
        raise FormatError("section table: the checksum is wrong", path=path, hint="the file is damaged")
    sections: dict[str, Section] = {}
    for i in range(count):
        section = _unpack_entry(raw, i, path)
        if section.offset < end or section.offset % ALIGN or section.offset + section.size > len(raw):
            raise FormatError(f"section {section.name!r}: lies outside the file or over another", path=path)
        if section.name in sections:
            raise FormatError(f"section {section.name!r} stands there twice", path=path)
        sections[section.name] = section
        end = section.offset + section.size
    return Header(n, m, flags, file_size, count), sections


def _unpack_entry(raw: Any, index: int, path: str) -> Section:
    name, dtype, offset, size, count, checksum, zeros = _ENTRY.unpack_from(
        raw, HEADER_SIZE + index * ENTRY_SIZE
    )
    try:
        section = Section(
            name.rstrip(b"\0").decode("ascii"),
            dtype.rstrip(b"\0").decode("ascii"),
            offset,
            size,
            count,
            checksum,
        )
        width = np.dtype(section.dtype).itemsize
    except (UnicodeDecodeError, TypeError, ValueError, SyntaxError):
        raise FormatError(f"section {index}: name or type is damaged", path=path) from None
    known = section.dtype in _DTYPES or section.dtype.startswith("<U")
    if not known or width * count != size or any(zeros):
        raise FormatError(
            f"section {section.name!r}: {count} items of {section.dtype} in {size} bytes", path=path
        )
    return section


def array_of(raw: Any, section: Section) -> NDArray[Any]:
    """The section's items, as a read-only view of the file."""
    return np.frombuffer(raw, np.dtype(section.dtype), section.count, section.offset)


def check_section(raw: Any, section: Section, path: str) -> None:
    """Compares the checksum; reads the whole section."""
    if zlib.crc32(memoryview(raw)[section.offset : section.offset + section.size]) != section.checksum:
        where = f"section {section.name!r} (bytes {section.offset} to {section.offset + section.size})"
        raise FormatError(
            f"{where}: the checksum is wrong", path=path, hint="the file is damaged: fetch or write it again"
        )


def check_padding(raw: Any, sections: dict[str, Section], path: str) -> None:
    """Bytes between sections must be zero and the file must end with the last section."""
    end = HEADER_SIZE + len(sections) * ENTRY_SIZE
    for section in [*sections.values(), None]:
        begin = len(raw) if section is None else section.offset
        if begin - end >= ALIGN or any(raw[end:begin]):
            raise FormatError(f"bytes {end} to {begin} belong to no section and are not zero", path=path)
        if section is not None:
            end = section.offset + section.size
