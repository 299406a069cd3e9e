"""Every exception of subiso. Each says what was wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any


class SubisoError(Exception):
    """Base of all of them; `hint` says what to do next.

    >>> raise SubisoError("the graph has no labels", hint="pass vertex_labels=")
    Traceback (most recent call last):
    subiso.errors.SubisoError: the graph has no labels
      hint: pass vertex_labels=
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        self.message = message
        self.hint = hint
        super().__init__(message if hint is None else f"{message}\n  hint: {hint}")

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors cross process borders; their constructors take keywords, which pickle does not know of.
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind: type[SubisoError], args: tuple[Any, ...], state: dict[str, Any]) -> SubisoError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


class GraphError(SubisoError, ValueError):
    """Raised when edges, labels, columns or ids do not form a graph."""


class FormatError(SubisoError, ValueError):
    """Raised when a file cannot be read or written; names the file and, for text, the line."""

    def __init__(
        self, message: str, *, path: str | None = None, line: int | None = None, hint: str | None = None
    ) -> None:
        self.path = path
        self.line = line
        where = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(where + message, hint=hint)


class PatternError(SubisoError, ValueError):
    """Raised when a pattern is malformed: unknown vertex, disconnected, too large, contradictory."""


class PatternSyntaxError(PatternError):
    """Raised when a pattern's text does not parse; shows the text and a caret."""

    def __init__(self, message: str, *, text: str, position: int, hint: str | None = None) -> None:
        self.text = text
        self.position = position
        start = text.rfind("\n", 0, position) + 1
        end = text.find("\n", position)
        line = text[start : end if end >= 0 else len(text)].replace("\t", " ")
        super().__init__(f"{message}\n  {line}\n  {' ' * (position - start)}^", hint=hint)


class QueryError(SubisoError, ValueError):
    """Raised when a pattern or an argument does not fit the graph: wrong mask length, unknown anchor, ..."""


class UnsupportedError(SubisoError, NotImplementedError):
    """Raised when something is understood but not supported; names it."""


class DeviceMemoryError(SubisoError, MemoryError):
    """Raised when a graph or a search does not fit into a device's memory; says how much it asked for."""


class CountOverflowError(SubisoError, OverflowError):
    """Raised when a sum, most often of embeddings, leaves the signed 128-bit range of the accumulators.

    Of several patterns that were counted, `finished` holds the counts that were there by then, by their place.
    """

    finished: Mapping[int, int] = MappingProxyType({})


class TimeoutReached(SubisoError, TimeoutError):
    """Raised when `timeout=` ends a call whose answer cannot say that it is incomplete, such as a count.

    `count` is what had been counted by then (of the pattern or anchor at work). When the call had several answers to
    give, `done` holds those before it, and `finished` all that were finished, by their place: patterns that are
    counted together need not be finished in order.
    """

    def __init__(self, message: str, *, count: int = 0, done: list[Any] | None = None) -> None:
        self.count = count
        self.done = done or []
        self.finished: dict[int, Any] = dict(enumerate(self.done))
        super().__init__(message, hint="give it more time, or take what match() finds in the time there is")


class Cancelled(SubisoError):
    """Raised when who asked an engine cancels it (`Params.poll`) before an answer that cannot say it is incomplete."""


def did_you_mean(word: str, known: Iterable[Any]) -> str:
    """The end of a message about a word that is not known, where one that is comes close to it; else nothing.

    >>> did_you_mean("person", ["Firm", "Person"]), did_you_mean("x", ["Firm"])
    ("; did you mean 'Person'?", '')
    """
    import difflib

    names = [str(name) for name in known]
    close = [name for name in names if name.lower() == word.lower()]
    close = close or difflib.get_close_matches(word, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
