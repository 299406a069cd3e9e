"""The pattern language: Cypher's MATCH bodies and GraphFrames' motifs, read by recursive descent.

text    = [MATCH] terms [WHERE conditions] { MATCH terms [WHERE conditions] }
terms   = term { ("," | ";" | line break) term }
term    = vertex { edge vertex }  |  "!" vertex edge vertex
vertex  = "(" [name] { ":" labels } [properties] [WHERE conditions] ")"
edge    = ("-" | "<-") "[" [name] [":" labels] [properties] [WHERE conditions] "]" ("-" | "->")
        | "--" | "-->" | "<--" | "<-->"
labels  = label { "|" label }  |  label { "&" label }
"""

from __future__ import annotations

from typing import NamedTuple

from subiso.errors import PatternError
from subiso.pattern.build import Parts
from subiso.pattern.catalogue import named_edges
from subiso.pattern.conditions import Conditions
from subiso.pattern.draft import Draft
from subiso.pattern.elements import MAX_VERTICES, Alternatives, Column, Comparison, Label, clean_label
from subiso.pattern.tokens import END, NAME, NUMBER, QUOTED, STRING, SYMBOL, Token, describe

_REFUSED = {
    "OPTIONAL": "OPTIONAL MATCH", "RETURN": "RETURN", "WITH": "WITH", "UNWIND": "UNWIND", "CREATE": "CREATE",
    "MERGE": "MERGE", "DELETE": "DELETE", "DETACH": "DETACH DELETE", "SET": "SET", "REMOVE": "REMOVE",
    "CALL": "CALL", "UNION": "UNION", "ORDER": "ORDER BY", "LIMIT": "LIMIT", "SKIP": "SKIP", "USING": "USING",
    "FOREACH": "FOREACH", "LOAD": "LOAD CSV", "USE": "USE", "FINISH": "FINISH",
    "SHORTESTPATH": "shortestPath()", "ALLSHORTESTPATHS": "allShortestPaths()", "SHORTEST": "SHORTEST paths",
    "ANY": "ANY paths", "ALL": "ALL paths", "EXISTS": "EXISTS",
}  # fmt: skip
_HINTS = {
    "RETURN": "leave it out: every named vertex is returned",
    "LIMIT": "pass limit= to match()",
    "ORDER": 'pass order="sorted" to match()',
}
# Words that a writer of text must quote when a vertex or an edge has them for a name.
KEYWORDS = frozenset(_REFUSED) | {
    "MATCH", "WHERE", "AND", "OR", "XOR", "NOT", "TRUE", "FALSE", "NULL", "CASE", "IN", "IS", "STARTS",
    "ENDS", "CONTAINS",
}  # fmt: skip


def parse(text: str) -> Parts:
    """The pattern that a text describes."""
    return _Parser(text).read()


class _Arrow(NamedTuple):
    """An edge as written: ends where `<` and `>` stand, and what the brackets hold."""

    start: Token
    left: bool
    right: bool
    name: Token | None
    labels: Alternatives | None
    conditions: list[tuple[str, object]]
    inline: int | None  # where an inline WHERE starts


_QUOTED = 'labels with other characters are quoted: (a:"my label")'


class _Parser(Conditions):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        reserved = {token.text for token in self.tokens if token.kind in (NAME, QUOTED, NUMBER)}
        self.draft = Draft(reserved)
        self.comparisons = self.draft.comparisons
        self.owner = self.draft.owner

    def read(self) -> Parts:
        if self.token.kind == END:
            self.fail("the pattern is empty", self.token, hint="for example (a)--(b)")
        if self.keyword("MATCH"):
            self.advance()
        self.clause()
        while self.keyword("MATCH"):
            self.advance()
            self.clause()
        self.accept(";")
        if self.token.kind != END:
            self.stray()
        return self.draft.finish()

    def clause(self) -> None:
        """Terms up to the end, the next MATCH, or WHERE with its conditions."""
        self.term()
        while True:
            separated = self.accept(",", ";")
            if self.token.kind == END or self.keyword("MATCH"):
                return
            if self.keyword("WHERE"):
                self.advance()
                self.conjunction()
                return
            if not separated and not (self.token.new_line and self.sees("(", "!")):
                self.stray()
            self.term()

    def term(self) -> None:
        if bang := self.accept("!"):
            self.anti_term(bang)
            return
        if not self.sees("("):
            self.stray("expected a vertex such as (a)")
        source = self.vertex()
        while self.sees("-", "<"):
            arrow = self.arrow()
            target = self.vertex()
            self.add_edge(arrow, source, target)
            source = target

    def anti_term(self, place: Token) -> None:
        if not self.sees("("):
            self.fail("expected a vertex after '!'")
        source = self.vertex()
        if not self.sees("-", "<"):
            self.fail("expected an edge: '!' negates an edge, not a vertex")
        arrow = self.arrow()
        target = self.vertex()
        if self.sees("-", "<"):
            self.refuse("a negated path of several edges", place, hint="negate each edge by itself")
        self.add_anti_edge(arrow, source, target)

    # ---- vertices -----------------------------------------------------------------------------------------

    def vertex(self) -> int:
        self.expect("(", "a vertex such as (a)")
        if self.sees("("):
            self.refuse("a path in parentheses", hint="quantified and grouped paths must be written out")
        name = self.name()
        if name is not None and name.text in self.draft.edge_names:
            self.fail(f"{describe(name)} is already the name of an edge", name)
        known = name is not None and name.text in self.draft.indices
        if not known and len(self.draft.labels) == MAX_VERTICES:
            self.fail(f"a pattern has at most {MAX_VERTICES} vertices", name or self.token)
        index = self.draft.vertex(None if name is None else name.text)
        while self.sees(":"):
            for group in self.labels():
                self.draft.labels[index][group] = None
        for column, value in self.properties():
            self.draft.comparisons.append(Comparison(Column(index, column), "==", value))  # type: ignore[arg-type]
        if self.keyword("WHERE"):
            self.advance()
            self.conjunction()
        if self.sees("*", "+"):
            self.refuse("repetition of vertices")
        self.expect(")", "')'", hint=self.quoting())
        if self.sees("{", "*", "+"):
            self.refuse("quantified paths", hint="write every edge out")
        return index

    def quoting(self) -> str | None:
        """The hint for where a label seems to go on: no arrow begins with what follows."""
        after = self.peek()
        labelled = self.at > 1 and self.tokens[self.at - 2][:2] in (
            (SYMBOL, ":"),
            (SYMBOL, "|"),
            (SYMBOL, "&"),
        )
        goes_on = after.kind in (NAME, NUMBER) or (after.kind == SYMBOL and after.text in ")]")
        return _QUOTED if labelled and goes_on and self.sees("-", ".", "/") else None

    def name(self) -> Token | None:
        token = self.token
        plain = token.kind == NUMBER and token.text.isalnum()
        if token.kind == QUOTED or plain or (token.kind == NAME and not self.keyword("WHERE")):
            return self.advance()
        return None

    def labels(self) -> list[Alternatives]:
        """What follows one colon: a set of alternatives, or several sets of one label each."""
        self.expect(":", "':'")
        found = [self.label()]
        joint = self.token
        while self.sees("|", "&"):
            if self.token.text != joint.text:
                self.refuse("labels that mix | and &", hint="write (a:A|B:C) for (A or B) and C")
            self.advance()
            if joint.text == "|":
                self.accept(":")  # Cypher's older [:A|:B]
            found.append(self.label())
        if len(found) > 1 and joint.text == "&":
            return [frozenset((label,)) for label in found]
        return [frozenset(found)]

    def label(self) -> Label:
        token = self.token
        if token.kind in (NAME, QUOTED, STRING):
            return self.advance().text
        negative = self.sees("-") and self.peek().kind == NUMBER
        if negative:
            self.advance()
        if self.token.kind == NUMBER:
            number = self.advance().text
            if not number.isdigit() or len(number) > 20:
                self.fail("an integer label has digits only", token, hint='quote it: (a:"1.5")')
            try:
                return clean_label(int(number) * (-1 if negative else 1))
            except PatternError as error:
                self.fail(error.message, token)
        if self.sees("*", "%"):
            hint = "a vertex or an edge without a label matches any: (a), -- or -->"
            self.refuse(f"the label wildcard {token.text}", hint=hint)
        if self.sees("!", "(", "$"):
            what = {"!": "negated labels (:!A)", "(": "parentheses in labels", "$": "dynamic labels"}
            self.refuse(what[token.text])
        return self.fail("expected a label", hint=_QUOTED)

    def properties(self) -> list[tuple[str, object]]:
        """A property map: each entry becomes a comparison with ==."""
        found: list[tuple[str, object]] = []
        if self.sees("$"):
            self.refuse("parameters ($name)", hint="put the value into the text")
        if not self.accept("{"):
            return found
        while not self.sees("}"):
            if self.token.kind not in (NAME, QUOTED):
                self.fail("expected the name of a property")
            column = self.advance().text
            self.expect(":", "':' after the name of a property")
            place = self.token
            value = self.operand()
            if isinstance(value, Column):
                self.refuse("columns as property values", place, hint="compare them in WHERE")
            found.append((column, value))
            if not self.accept(","):
                break
        self.expect("}", "'}'")
        return found

    # ---- edges --------------------------------------------------------------------------------------------

    def arrow(self) -> _Arrow:
        start = self.token
        left = self.accept("<") is not None
        hint = "edges are -->, <--, --, -[e:LABEL]->"
        self.expect("-", "an edge", hint)
        name, labels, conditions, inline = None, None, [], None
        if self.accept("["):
            name = self.name()
            labels = self.edge_labels()
            if self.sees("*", "+", "{") and (self.token.text != "{" or self.peek().kind == NUMBER):
                self.refuse("edges of variable length", hint="write every edge out: (a)-->()-->(b)")
            conditions = self.properties()
            if self.keyword("WHERE"):
                inline = self.at + 1
                self.skip_inline()
            self.expect("]", "']'", hint=self.quoting())
        self.expect("-", "'-'" if left or self.sees(">", "(") else "an edge", hint)
        right = self.accept(">") is not None
        if self.sees("*", "+", "{"):
            self.refuse("edges of variable length", hint="write every edge out: (a)-->()-->(b)")
        return _Arrow(start, left, right, name, labels, conditions, inline)

    def edge_labels(self) -> Alternatives | None:
        if not self.sees(":"):
            return None
        groups = self.labels()
        if len(groups) > 1 or self.sees(":"):
            self.refuse("several labels on one edge", hint="alternatives are written [:A|B]")
        return groups[0]

    def skip_inline(self) -> None:
        # The edge's own name is known only once the edge is, so its WHERE is read afterwards.
        depth = 0
        while self.token.kind != END and (depth or not self.sees("]")):
            depth += self.sees("[") - self.sees("]")
            self.advance()

    def add_edge(self, arrow: _Arrow, source: int, target: int) -> None:
        name = self.edge_name(arrow)
        if arrow.left and arrow.right:
            if name is not None or arrow.inline is not None:
                self.refuse("a name or conditions on <-->", arrow.start, hint="write its two edges out")
            self.draft.edge(source, target, True, arrow.labels, None)
            self.draft.edge(target, source, True, arrow.labels, None)
            return
        if arrow.left:
            source, target = target, source
        self.draft.edge(source, target, arrow.left or arrow.right, arrow.labels, name)
        for column, value in arrow.conditions:
            self.draft.comparisons.append(Comparison(Column(name or "", column), "==", value))  # type: ignore[arg-type]
        if arrow.inline is not None:
            back, self.at = self.at, arrow.inline
            self.conjunction()
            self.expect("]", "']'")
            self.at = back

    def edge_name(self, arrow: _Arrow) -> str | None:
        if arrow.name is None:
            return self.draft.invent_edge_name() if arrow.conditions else None
        name = arrow.name.text
        if name in self.draft.edge_names or name in self.draft.indices:
            what = "an edge" if name in self.draft.edge_names else "a vertex"
            self.fail(f"{describe(arrow.name)} is already the name of {what}", arrow.name)
        return name

    def add_anti_edge(self, arrow: _Arrow, source: int, target: int) -> None:
        if arrow.name is not None:
            self.fail("a negated edge cannot have a name: there is nothing to call so", arrow.name)
        if arrow.conditions or arrow.inline is not None:
            self.refuse("conditions on a negated edge", arrow.start)
        if arrow.left and arrow.right:
            self.refuse(
                "negating <-->, which is two edges",
                arrow.start,
                hint="!(a)--(b) means no edge at all",
            )
        if arrow.left:
            source, target = target, source
        self.draft.anti_edge(source, target, arrow.left or arrow.right, arrow.labels)

    # ---- conditions that only make sense here -----------------------------------------------------------

    def negation(self) -> None:
        place = self.advance()
        if not self.sees("(") or not self.at_path():
            self.refuse("NOT in conditions", place, hint="turn the comparison round, or pass a mask")
        self.anti_term(place)

    def label_condition(self) -> None:
        token = self.advance()
        owner = self.draft.owner(token.text)
        if not isinstance(owner, int):
            self.fail(f"{describe(token)} is not a vertex", token)
        while self.sees(":"):
            for group in self.labels():
                self.draft.labels[owner][group] = None

    def stray(self, message: str = "expected ',' or the end") -> None:
        """Say what stands where a term or its end should be: often a known word of Cypher."""
        token = self.token
        following = self.peek()
        if token.kind == NAME:
            word = token.text.upper()
            if token.text.isascii() and word in _REFUSED:
                self.refuse(_REFUSED[word], hint=_HINTS.get(word))
            if word == "NOT":
                self.fail("expected a vertex such as (a)", hint="a negated edge is written !(a)-->(b)")
            if following[:2] == (SYMBOL, "="):
                self.refuse("named paths (p = ...)", hint="name the vertices instead")
            if following[:2] == (SYMBOL, "("):
                self.refuse(f"the function {token.text[:40]}()")
            if following.kind == SYMBOL and following.text in "-!~":
                self.fail(message, hint="DotMotif's arrows are read by Pattern.from_dotmotif")
            self.fail(message, hint=_catalogue_hint(token.text))
        if token.kind == SYMBOL and token.text in "*+{":
            self.refuse("quantified paths", hint="write every edge out")
        if token.kind == SYMBOL and token.text == "|":
            self.refuse("alternatives of paths", hint="match each of them by itself")
        self.fail(message, hint=self.quoting())


def _catalogue_hint(word: str) -> str | None:
    try:
        named_edges(word)
    except PatternError:
        return None
    return f"the catalogue's pattern is Pattern.named({word!r})"
