"""Conditions: the comparisons of WHERE and of Pattern.where, and masks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from subiso.errors import PatternError
from subiso.pattern.build import Parts, finish
from subiso.pattern.elements import FLIPPED, Column, Comparison, Constant, Mask, Operator, PatternEdge
from subiso.pattern.tokens import END, NAME, NUMBER, QUOTED, STRING, SYMBOL, Cursor, Token, describe

COMPARED: dict[str, Operator] = {
    "<": "<", "<=": "<=", ">": ">", ">=": ">=", "=": "==", "==": "==", "<>": "!=", "!=": "!=",
}  # fmt: skip
MAX_NESTING = 50
Side = Column | Constant

_AFTER = {  # words and signs that may follow an operand in Cypher but not here
    "IN": "IN",
    "IS": "IS NULL and IS NOT NULL",
    "STARTS": "STARTS WITH",
    "ENDS": "ENDS WITH",
    "CONTAINS": "CONTAINS",
    "=~": "regular expressions (=~)",
    "+": "arithmetic", "-": "arithmetic", "*": "arithmetic", "/": "arithmetic", "%": "arithmetic",
    "^": "arithmetic",
}  # fmt: skip
_USE_MASK = "compute it outside and pass a mask: pattern.where(a=boolean_array)"


class Conditions(Cursor):
    """Reads `comparison AND comparison ...`; what names mean is asked of `owner`."""

    comparisons: list[Comparison]
    owner: Callable[[str], int | str | None]

    def conjunction(self, depth: int = 0) -> None:
        """One or more conditions joined by AND."""
        while True:
            self.condition(depth)
            if self.keyword("OR", "XOR"):
                self.refuse(f"{self.token.text.upper()} between conditions", hint=_USE_MASK)
            if not self.keyword("AND"):
                return
            self.advance()

    def condition(self, depth: int) -> None:
        if self.keyword("NOT"):
            self.negation()
        elif self.sees("("):
            if self.at_path():
                self.refuse("a path as a condition", hint="write it among the other paths, before WHERE")
            if depth >= MAX_NESTING:
                self.fail("conditions are nested too deeply", self.token)
            self.advance()
            self.conjunction(depth + 1)
            self.expect(")", "')'")
        elif self.token.kind in (NAME, QUOTED) and self.peek()[:2] == (SYMBOL, ":"):
            self.label_condition()
        else:
            self.comparison()

    def negation(self) -> None:
        """NOT: only the parser of paths knows one kind of it."""
        self.refuse("NOT in conditions", hint="turn the comparison round, or pass a mask")

    def label_condition(self) -> None:
        """name:Label as a condition: only the parser of paths knows it."""
        self.refuse("labels in conditions")

    def at_path(self) -> bool:
        """Whether the parenthesis at the cursor opens a vertex of a path rather than a condition."""
        ahead = 1 if self.peek(1).kind == SYMBOL else 2
        if self.peek(ahead)[:2] not in ((SYMBOL, ")"), (SYMBOL, ":"), (SYMBOL, "{")):
            return False
        while self.peek(ahead).kind != END and self.peek(ahead)[:2] != (SYMBOL, ")"):
            ahead += 1
        after = self.peek(ahead + 1)
        return after.kind == SYMBOL and after.text in ("-", "<")

    def comparison(self) -> None:
        """`x < y`, and chains `x < y < z`."""
        first = self.token
        left = self.operand()
        if self.token.kind != SYMBOL or self.token.text not in COMPARED:
            self.refuse_rest()
            self.fail("expected a comparison such as < or =")
        while self.token.kind == SYMBOL and self.token.text in COMPARED:
            op = COMPARED[self.advance().text]
            right = self.operand()
            self.compare(left, op, right, first)
            left = right
        self.refuse_rest()

    def refuse_rest(self) -> None:
        what = _AFTER.get(self.token.text.upper()) if self.token.kind in (NAME, SYMBOL) else None
        if what is not None:
            self.refuse(f"{what} in conditions", hint=_USE_MASK)

    def compare(self, left: Side, op: Operator, right: Side, place: Token) -> None:
        if not isinstance(left, Column):
            if not isinstance(right, Column):
                self.fail("a comparison of two constants", place, hint="one side must be a column")
            left, op, right = right, FLIPPED[op], left
        self.comparisons.append(Comparison(left, op, right))

    def operand(self) -> Side:
        token = self.token
        if token.kind == NUMBER:
            return self.number()
        if token.kind == STRING:
            return self.advance().text
        if self.sees("-", "+") and self.peek().kind == NUMBER:
            return self.number(-1 if self.advance().text == "-" else 1)
        if token.kind == NAME and self.peek()[:2] != (SYMBOL, "."):
            if self.keyword("TRUE", "FALSE"):
                return self.advance().text.upper() == "TRUE"
            self.refuse_word(token)
        if token.kind in (NAME, QUOTED):
            return self.column()
        if self.sees("[", "{"):
            self.refuse("lists and maps in conditions", hint=_USE_MASK)
        if self.sees("$"):
            self.refuse("parameters ($name)", hint="put the value into the text")
        if self.sees("("):
            self.refuse("arithmetic in conditions", hint=_USE_MASK)
        return self.fail("expected a column such as a.age, or a constant")

    def refuse_word(self, token: Token) -> None:
        word = token.text.upper()
        if word == "NULL":
            self.refuse("null in conditions", hint=_USE_MASK)
        if word == "NOT":
            self.refuse("NOT in conditions", hint="turn the comparison round, or pass a mask")
        if self.peek()[:2] == (SYMBOL, "("):
            self.refuse(f"the function {token.text[:40]}()", hint=_USE_MASK)
        if word in ("CASE", "EXISTS"):
            self.refuse(f"{word} in conditions", hint=_USE_MASK)
        if self.peek()[:2] == (SYMBOL, "["):
            self.refuse("subscripts in conditions", hint="write the column as a.`name`")
        if self.owner(token.text) is not None:
            self.refuse(
                f"comparing {token.text[:40]} itself",
                hint=f"compare a column: {token.text[:40]}.age",
            )

    def column(self) -> Column:
        token = self.advance()
        owner = self.owner(token.text)
        if owner is None:
            self.fail(f"{describe(token)} is neither a vertex nor a named edge", token)
        self.expect(".", "'.' and a column")
        if self.token.kind not in (NAME, QUOTED):
            self.fail("expected the name of a column")
        name = self.advance().text
        if self.sees("."):
            self.refuse("properties of properties")
        if self.sees("["):
            self.refuse("subscripts in conditions", hint=_USE_MASK)
        return Column(owner, name)


class _Where(Conditions):
    """One argument of Pattern.where."""

    def __init__(self, text: str, owners: Mapping[str, int | str]) -> None:
        super().__init__(text)
        self.comparisons = []
        self.owner = owners.get

    def read(self) -> list[Comparison]:
        self.conjunction()
        if self.token.kind != END:
            self.fail("expected AND or the end")
        return self.comparisons


def restrict(parts: Parts, comparisons: Sequence[str | Comparison], masks: Mapping[str, Any]) -> Parts:
    """The parts with further comparisons and masks."""
    owners: dict[str, int | str] = {edge.name: edge.name for edge in parts.edges if edge.name is not None}
    owners.update({name: i for i, name in enumerate(parts.names)})
    added: list[Comparison] = []
    for item in comparisons:
        if isinstance(item, Comparison):
            added.append(item)
        elif isinstance(item, str):
            added.extend(_Where(item, owners).read())
        else:
            raise PatternError(
                f"a condition is text, not {type(item).__name__}",
                hint='as in where("a.x > 3", a=array)',
            )
    vertex_masks, edges = list(parts.masks), list(parts.edges)
    for name, values in masks.items():
        mask = values if isinstance(values, Mask) else Mask(values)
        _apply_mask(name, mask, owners, vertex_masks, edges)
    every = (*parts.comparisons, *added)
    return finish(
        parts.names,
        parts.vertex_labels,
        edges,
        parts.anti_edges,
        masks=tuple(vertex_masks),
        comparisons=every,
    )


def _apply_mask(
    name: str,
    mask: Mask,
    owners: Mapping[str, int | str],
    vertex_masks: list[Mask | None],
    edges: list[PatternEdge],
) -> None:
    owner = owners.get(name)
    if isinstance(owner, int):
        vertex_masks[owner] = _both(vertex_masks[owner], mask)
        return
    if owner is None and name != "edge":
        known = ", ".join(owners)
        raise PatternError(
            f"no vertex or edge is called {name!r:.80}", hint=f"there are {known}; edge= is for every edge"
        )
    if not edges:
        raise PatternError(f"the pattern has no edge for the mask {name}")
    for i, edge in enumerate(edges):
        if owner is None or edge.name == owner:
            both = _both(edge.mask, mask)
            edges[i] = PatternEdge(edge.source, edge.target, edge.directed, edge.labels, edge.name, both)


def _both(old: Mask | None, new: Mask) -> Mask:
    return new if old is None else old & new
