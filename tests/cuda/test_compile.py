"""The cache of compiled kernels, with a compiler that only writes down what it was asked."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from subiso.engine.cuda import compile as compiling
from subiso.engine.cuda.compile import Source, binary, cache_directory
from subiso.errors import SubisoError

SOURCE = Source("k", "text", "sm_90")


class Compiler:
    """Counts its calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[str, ...]]] = []

    def __call__(self, text: str, options: tuple[str, ...]) -> bytes:
        self.calls.append((text, options))
        return b"binary of " + text.encode()


def test_a_second_call_does_not_compile(tmp_path: Path) -> None:
    compiler = Compiler()
    first = binary(SOURCE, "c 1", compiler, tmp_path)
    assert binary(SOURCE, "c 1", compiler, tmp_path) == first
    assert first.read_bytes() == b"binary of text"
    assert len(compiler.calls) == 1
    assert "--gpu-architecture=sm_90" in compiler.calls[0][1]


@pytest.mark.parametrize(
    ("other", "compiler_name"),
    [
        (Source("k", "text", "sm_90"), "c 2"),
        (Source("other", "text", "sm_90"), "c 1"),
        (Source("k", "text 2", "sm_90"), "c 1"),
        (Source("k", "text", "sm_80"), "c 1"),
        (Source("k", "text", "sm_90", flags=("-G",)), "c 1"),
    ],
)
def test_everything_is_part_of_the_key(other: Source, compiler_name: str) -> None:
    assert other.key(compiler_name) != SOURCE.key("c 1")


def test_headers_are_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = SOURCE.key("c 1")
    monkeypatch.setattr(compiling, "headers_digest", lambda: "something else")
    assert SOURCE.key("c 1") != before


@pytest.mark.parametrize("damage", ["truncate", "no digest", "foreign", "a file in its place"])
def test_a_broken_entry_is_rebuilt(damage: str, tmp_path: Path) -> None:
    compiler = Compiler()
    path = binary(SOURCE, "c 1", compiler, tmp_path)
    if damage == "truncate":
        path.write_bytes(path.read_bytes()[:3])
    elif damage == "no digest":
        (path.parent / "digest").unlink()
    elif damage == "foreign":
        path.write_bytes(b"something else")
    else:
        for file in path.parent.iterdir():
            file.unlink()
        path.parent.rmdir()
        path.parent.write_text("in the way")
    again = binary(SOURCE, "c 1", compiler, tmp_path)
    assert again.read_bytes() == b"binary of text"
    assert len(compiler.calls) == 2


def test_a_failed_compilation_leaves_nothing(tmp_path: Path) -> None:
    def fail(text: str, options: tuple[str, ...]) -> bytes:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        binary(SOURCE, "c 1", fail, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_many_at_once(tmp_path: Path) -> None:
    threads = [threading.Thread(target=binary, args=(SOURCE, "c 1", Compiler(), tmp_path)) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert binary(SOURCE, "c 1", Compiler(), tmp_path).read_bytes() == b"binary of text"
    assert len(list(tmp_path.iterdir())) == 1


def test_the_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SUBISO_CACHE", str(tmp_path / "here"))
    assert cache_directory() == tmp_path / "here"
    monkeypatch.delenv("SUBISO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "subiso"


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SubisoError, match="cannot be written"):
        binary(SOURCE, "c 1", Compiler(), tmp_path / "file" / "below")
