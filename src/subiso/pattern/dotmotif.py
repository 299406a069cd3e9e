"""DotMotif's language of arrows as a second front end: edges, negated edges, attributes, aliases and macros.

    A -> B                      a directed edge            A -| B, A -+ B    edges labelled INHIBITS, EXCITES
    A !> B  or  A ~> B          no such edge               A -[TYPE] B       an edge labelled TYPE
    A -> B [weight > 3]         edge attributes            A -> B as e       an edge with a name
    A.size >= 2                 vertex attributes          e.time < f.time   attributes of named edges
    name(x, y) { x -> y }       a macro                    name(A, B)        its use

What means nothing here (``===``, ``in``, ``contains``, ``--``) is refused by name.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from subiso.errors import PatternError
from subiso.pattern.build import Parts
from subiso.pattern.conditions import COMPARED
from subiso.pattern.draft import Draft
from subiso.pattern.elements import MAX_VERTICES, Column, Comparison, Operator
from subiso.pattern.tokens import END, NAME, NUMBER, QUOTED, STRING, SYMBOL, Cursor, Token, describe

_TYPES = {">": None, "+": "EXCITES", "|": "INHIBITS"}
_MAX_STATEMENTS = 20_000
_MAX_DEPTH = 50
_NAMES = (NAME, QUOTED)
_USE_MASK = "compute it outside and pass a mask: pattern.where(A=boolean_array)"


class _Value(NamedTuple):
    """The right side of a constraint: a constant, or a column of the thing that `owner` names."""

    owner: Token | None
    value: Any  # a constant, or the column's name


class _Edge(NamedTuple):
    source: Token
    target: Token
    negated: bool
    label: str | None
    clauses: list[tuple[str, Operator, Any]]
    alias: Token | None


class _Constraint(NamedTuple):
    owner: Token
    column: str
    op: Operator
    value: _Value


class _Call(NamedTuple):
    name: Token
    arguments: list[Token]


class _Macro(NamedTuple):
    parameters: list[str]
    body: list[_Statement]


_Statement = _Edge | _Constraint | _Call


def parse_dotmotif(text: str) -> Parts:
    """The pattern that a motif describes."""
    if not isinstance(text, str):
        raise PatternError(f"a motif is text, not {type(text).__name__}")
    return _Parser(text).read()


class _Parser(Cursor):
    def __init__(self, text: str) -> None:
        super().__init__(text, dotmotif=True)
        self.draft = Draft({token.text for token in self.tokens if token.kind in _NAMES})
        self.macros: dict[str, _Macro] = {}
        self.constraints: list[tuple[_Constraint, dict[str, Token]]] = []
        self.count = 0

    def read(self) -> Parts:
        statements: list[_Statement] = []
        while self.token.kind != END:
            if self.accept(";"):
                continue
            if self.at_macro():
                self.macro()
            else:
                statements.append(self.statement())
        self.run(statements, {}, 0)
        if not self.draft.indices:
            self.fail("the motif has no edge", self.tokens[0], hint="for example A -> B")
        # Constraints may stand before the edges they speak of, so names are looked up at the end.
        for constraint, scope in self.constraints:
            self.add_constraint(constraint, scope)
        return self.draft.finish()

    # ---- reading ------------------------------------------------------------------------------------------

    def at_macro(self) -> bool:
        """Whether `name(...)` at the cursor is followed by a body."""
        if self.token.kind not in _NAMES or self.peek()[:2] != (SYMBOL, "("):
            return False
        ahead = 2
        while self.peek(ahead).kind in _NAMES or self.peek(ahead)[:2] == (SYMBOL, ","):
            ahead += 1
        return self.peek(ahead)[:2] == (SYMBOL, ")") and self.peek(ahead + 1)[:2] == (SYMBOL, "{")

    def macro(self) -> None:
        name = self.advance()
        if name.text in self.macros:
            self.fail(f"the macro {describe(name)} is defined twice", name)
        parameters = self.arguments()
        texts = [parameter.text for parameter in parameters]
        for i, parameter in enumerate(parameters):
            if parameter.text in texts[:i]:
                self.fail(f"the parameter {describe(parameter)} stands twice", parameter)
        self.advance()
        body: list[_Statement] = []
        while not self.sees("}"):
            if self.token.kind == END:
                self.fail(f"the macro {describe(name)} is not finished", name, hint="it ends with '}'")
            if self.accept(";"):
                continue
            if self.at_macro():
                self.refuse("a macro inside a macro")
            body.append(self.statement())
        self.advance()
        self.macros[name.text] = _Macro(texts, body)

    def arguments(self) -> list[Token]:
        self.expect("(", "'('")
        found = [self.name("a name")]
        while self.accept(","):
            found.append(self.name("a name"))
        self.expect(")", "')'")
        return found

    def name(self, what: str) -> Token:
        if self.token.kind not in _NAMES:
            self.fail(f"expected {what}")
        return self.advance()

    def statement(self) -> _Statement:
        first = self.name("a vertex, as in A -> B")
        if self.sees("("):
            return _Call(first, self.arguments())
        if self.sees("===") or (self.sees("==") and self.peek()[:2] == (SYMBOL, "=")):
            self.refuse("=== (automorphism notation)", hint="leave it out: subgraphs count once anyway")
        if self.sees(".", "["):
            return _Constraint(first, self.column(), self.operator(), self.value())
        return self.edge(first)

    def edge(self, source: Token) -> _Edge:
        place = self.token
        if not self.sees("-", "!", "~"):
            self.fail("expected an arrow such as -> or !>")
        negated = self.advance().text != "-"
        label = self.edge_type(place)
        target = self.name("a vertex after the arrow")
        clauses: list[tuple[str, Operator, Any]] = []
        if self.accept("["):
            clauses.append(self.clause())
            while self.accept(","):
                clauses.append(self.clause())
            self.expect("]", "']'")
        alias = None
        if self.token.kind == NAME and self.token.text.lower() == "as" and self.peek().kind in _NAMES:
            self.advance()
            alias = self.advance()
        if negated and clauses:
            self.refuse("attributes of a negated edge", place)
        if negated and alias is not None:
            self.fail("a negated edge cannot have a name: there is nothing to call so", alias)
        return _Edge(source, target, negated, label, clauses, alias)

    def edge_type(self, place: Token) -> str | None:
        if self.sees("-"):
            self.refuse(
                "the arrow --",
                place,
                hint="write -| for an inhibiting edge",
            )
        if self.accept("["):
            label = self.name("the type of the edge").text
            self.expect("]", "']'")
            return label
        if not self.sees(*_TYPES):
            self.fail("expected one of > + | after the first sign of an arrow")
        return _TYPES[self.advance().text]

    def column(self) -> str:
        """What follows a name: `.key`, `[key]` or `["key"]`."""
        if self.accept("."):
            return self.name("the name of an attribute").text
        self.advance()
        if self.token.kind not in (*_NAMES, STRING) or not self.token.text:
            self.fail("expected the name of an attribute")
        key = self.advance().text
        self.expect("]", "']'")
        return key

    def clause(self) -> tuple[str, Operator, Any]:
        """`key op constant` between the brackets of an edge."""
        if self.token.kind not in (*_NAMES, STRING) or not self.token.text:
            self.fail("expected the name of an attribute")
        key = self.advance().text
        op = self.operator()
        place = self.token
        value = self.value()
        if value.owner is not None:
            self.refuse("other attributes inside [...]", place, hint="name the edge with 'as'")
        return key, op, value.value

    def operator(self) -> Operator:
        token = self.token
        if token.kind == SYMBOL and token.text in COMPARED:
            return COMPARED[self.advance().text]
        word = self.peek() if self.sees("!") else token
        if word.kind == NAME and word.text.lower() in ("in", "contains"):
            self.refuse(f"the operator {word.text.lower()}", token, hint=_USE_MASK)
        return self.fail("expected a comparison such as > or =")

    def value(self) -> _Value:
        token = self.token
        if token.kind == STRING:
            return _Value(None, self.advance().text)
        if self.sees("-", "+") and self.peek().kind == NUMBER:
            return _Value(None, self.number(-1 if self.advance().text == "-" else 1))
        if token.kind == NUMBER:
            return _Value(None, self.number())
        if token.kind not in _NAMES:
            self.fail("expected a number, a string or an attribute")
        self.advance()
        # `A.x = B["y"]` has an attribute on the right; a bare word is a string, as in A.type = Glu.
        if self.sees(".") or (self.sees("[") and self.peek(2)[:2] == (SYMBOL, "]")):
            return _Value(token, self.column())
        if token.kind == NAME and token.text.lower() in ("true", "false"):
            return _Value(None, token.text.lower() == "true")
        return _Value(None, token.text)

    # ---- meaning ------------------------------------------------------------------------------------------

    def run(self, statements: list[_Statement], scope: dict[str, Token], depth: int) -> None:
        """Carry out statements; `scope` says what a macro's parameters stand for."""
        for statement in statements:
            self.count += 1
            if self.count > _MAX_STATEMENTS:
                raise PatternError(f"the motif's macros expand to more than {_MAX_STATEMENTS} statements")
            if isinstance(statement, _Edge):
                self.add_edge(statement, scope)
            elif isinstance(statement, _Call):
                self.call(statement, scope, depth)
            else:
                self.constraints.append((statement, scope))

    def call(self, call: _Call, scope: dict[str, Token], depth: int) -> None:
        macro = self.macros.get(call.name.text)
        if macro is None:
            self.fail(f"no macro is called {describe(call.name)}", call.name)
        if len(macro.parameters) != len(call.arguments):
            self.fail(f"the macro takes {len(macro.parameters)} names, not {len(call.arguments)}", call.name)
        if depth >= _MAX_DEPTH:
            self.refuse("macros that call themselves", call.name)
        given = [scope.get(argument.text, argument) for argument in call.arguments]
        self.run(macro.body, dict(zip(macro.parameters, given, strict=True)), depth + 1)

    def vertex(self, token: Token, scope: dict[str, Token]) -> int:
        name = scope.get(token.text, token).text
        if name not in self.draft.indices and len(self.draft.indices) == MAX_VERTICES:
            self.fail(f"a pattern has at most {MAX_VERTICES} vertices", token)
        if name in self.draft.edge_names:
            self.fail(f"{describe(token)} is already the name of an edge", token)
        return self.draft.vertex(name)

    def add_edge(self, edge: _Edge, scope: dict[str, Token]) -> None:
        source, target = self.vertex(edge.source, scope), self.vertex(edge.target, scope)
        labels = None if edge.label is None else frozenset((edge.label,))
        if edge.negated:
            self.draft.anti_edge(source, target, True, labels)
            return
        name = self.draft.invent_edge_name() if edge.clauses else None
        if edge.alias is not None:
            name = edge.alias.text
            if name in self.draft.edge_names or name in self.draft.indices:
                self.fail(f"the name {describe(edge.alias)} is used twice", edge.alias)
        self.draft.edge(source, target, True, labels, name)
        for key, op, value in edge.clauses:
            self.draft.comparisons.append(Comparison(Column(name or "", key), op, value))

    def add_constraint(self, constraint: _Constraint, scope: dict[str, Token]) -> None:
        left = self.column_of(constraint.owner, constraint.column, scope)
        value = constraint.value
        right = value.value if value.owner is None else self.column_of(value.owner, value.value, scope)
        self.draft.comparisons.append(Comparison(left, constraint.op, right))

    def column_of(self, owner: Token, column: str, scope: dict[str, Token]) -> Column:
        found = self.draft.owner(scope.get(owner.text, owner).text)
        if found is None:
            self.fail(f"{describe(owner)} is neither a vertex nor a named edge", owner)
        return Column(found, column)
