"""A pattern back into text that reads as the same pattern."""

from __future__ import annotations

import re

from subiso.errors import PatternError
from subiso.pattern.build import Conjunction, Parts
from subiso.pattern.elements import Alternatives, Column, Comparison, Constant, Label, PatternEdge, label_key
from subiso.pattern.text import KEYWORDS

_WORD = re.compile(r"\w+")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


def write(parts: Parts, masks: str) -> str:
    """The text; see Pattern.to_text for `masks`."""
    note = ""
    masked = [name for name, mask in zip(parts.names, parts.masks, strict=True) if mask is not None]
    masked += [edge.name or "an edge without a name" for edge in parts.edges if edge.mask is not None]
    if masked:
        if masks == "error":
            raise PatternError(
                f"masks cannot be written as text: there are some on {', '.join(dict.fromkeys(masked))}",
                hint="str(pattern) leaves them out and says so in a comment; pickle keeps them",
            )
        # The comment must not end early, whatever the names are.
        listed = ", ".join(dict.fromkeys(masked)).replace("*/", "* /")
        note = f" /* masks on {listed} */"
    writer = _Writer(parts)
    text = ", ".join(writer.terms())
    if parts.comparisons:
        text += " WHERE " + " AND ".join(map(writer.comparison, parts.comparisons))
    return text + note


class _Writer:
    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.unseen = set(range(len(parts.names)))

    def terms(self) -> list[str]:
        parts = self.parts
        # Vertices are numbered by first appearance; where the edges give another order, list them first.
        edges = (*parts.edges, *parts.anti_edges)
        seen = dict.fromkeys(v for edge in edges for v in (edge.source, edge.target))
        in_order = list(seen) == list(range(len(parts.names)))
        terms = [] if in_order else [self.vertex(v) for v in range(len(parts.names))]
        terms += [self.edge(edge) for edge in parts.edges]
        return terms + ["!" + self.edge(edge) for edge in parts.anti_edges]

    def vertex(self, index: int) -> str:
        labels = ""
        if index in self.unseen:
            self.unseen.remove(index)
            labels = conjunction(self.parts.vertex_labels[index])
        return f"({bracket_name(self.parts.names[index])}{labels})"

    def edge(self, edge: PatternEdge) -> str:
        return self.vertex(edge.source) + arrow(edge) + self.vertex(edge.target)

    def comparison(self, comparison: Comparison) -> str:
        op = {"==": "=", "!=": "<>"}.get(comparison.op, comparison.op)
        return f"{self.side(comparison.left)} {op} {self.side(comparison.right)}"

    def side(self, side: Column | Constant) -> str:
        if not isinstance(side, Column):
            return constant(side)
        owner = side.owner if isinstance(side.owner, str) else self.parts.names[side.owner]
        return f"{identifier(owner)}.{identifier(side.column)}"


def arrow(edge: PatternEdge) -> str:
    """
    >>> arrow(PatternEdge(0, 1, directed=True, labels=frozenset({"PAYS"}))), arrow(PatternEdge(0, 1, directed=False))
    ('-[:PAYS]->', '--')
    """
    body = "" if edge.name is None else bracket_name(edge.name)
    if edge.labels is not None:
        body += ":" + alternatives(edge.labels)
    return (f"-[{body}]-" if body else "--") + (">" if edge.directed else "")


def bracket_name(name: str) -> str:
    """A name inside () or [], where numbers may stand too."""
    return name if _WORD.fullmatch(name) and name.upper() not in KEYWORDS else quoted_name(name)


def identifier(name: str) -> str:
    return name if _IDENTIFIER.fullmatch(name) and name.upper() not in KEYWORDS else quoted_name(name)


def quoted_name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def conjunction(groups: Conjunction) -> str:
    return "".join(":" + alternatives(group) for group in groups)


def alternatives(labels: Alternatives) -> str:
    return "|".join(label(one) for one in sorted(labels, key=label_key))


def label(value: Label) -> str:
    if isinstance(value, int):
        return str(value)
    return value if _IDENTIFIER.fullmatch(value) else string(value)


def string(value: str) -> str:
    """A string in double quotes, with everything escaped that does not print."""
    return '"' + "".join(map(_escaped, value)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def constant(value: Constant) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return string(value)
    text = repr(value)
    # The language has no word for infinity, but numbers beyond the largest one are infinite.
    return text.replace("inf", "1e999")
