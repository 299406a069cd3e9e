"""Text into tokens, and a cursor over them whose errors show the text and a caret; for both languages."""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from subiso.errors import PatternError, PatternSyntaxError, UnsupportedError
from subiso.pattern.elements import Constant

MAX_TEXT = 200_000
_WINDOW = 100

# Kinds of tokens. A quoted name is never a keyword.
NAME, QUOTED, STRING, NUMBER, SYMBOL, END = "name", "quoted name", "string", "number", "symbol", "end"

_COMMON = r"""
  (?P<space>\s+)
| (?P<number>(?:(?:[0-9]+|(?<![\w`\])]))\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|[0-9]+)(?!\w))
| (?P<name>\w+)
| (?P<quoted>`(?:[^`]|``)*`)
| (?P<symbol>===|<=|>=|<>|!=|==|=~|\.\.|[-()\[\]{}<>=!,;:|&.*+/%$^?@~])
"""
_CYPHER = re.compile(
    _COMMON.replace(
        "| (?P<symbol>",
        r"""| (?P<comment>//[^\n]*|/\*.*?\*/)
| (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
| (?P<symbol>""",
    ),
    re.VERBOSE | re.DOTALL,
)
_DOTMOTIF = re.compile(
    _COMMON.replace(
        "| (?P<symbol>",
        r"""| (?P<comment>\#[^\n]*)
| (?P<string>"[^"]*"|'[^']*')
| (?P<symbol>""",
    ),
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\\": "\\", "'": "'", '"': '"', "`": "`"}
_UNFINISHED = {'"': "a string", "'": "a string", "`": "a quoted name", "/": "a comment"}


class Token(NamedTuple):
    """One token: its kind, its text (of strings and quoted names: the content) and where it starts."""

    kind: str
    text: str
    position: int
    new_line: bool  # whether a line break lies before it


def syntax_error(message: str, text: str, position: int, hint: str | None = None) -> PatternSyntaxError:
    """The error with the line and a caret; of a very long line only the part around the caret is shown."""
    line_start = text.rfind("\n", 0, position) + 1
    start = max(line_start, position - _WINDOW)
    shown = text[start : position + _WINDOW]
    before = "..." if start > line_start else ""
    place = len(before) + position - start
    error = PatternSyntaxError(message, text=before + shown, position=place, hint=hint)
    error.text, error.position = text, position
    return error


def unsupported_error(what: str, text: str, position: int, hint: str | None = None) -> UnsupportedError:
    """As a syntax error, for what is understood but not possible."""
    shown = syntax_error(f"not supported: {what}", text, position)
    return UnsupportedError(shown.message.removesuffix("\n"), hint=hint)


def tokenize(text: str, dotmotif: bool = False) -> list[Token]:
    """All tokens, with an END at the end.

    >>> [token.text for token in tokenize("(a)-->(b)")]
    ['(', 'a', ')', '-', '-', '>', '(', 'b', ')', '']
    """
    if len(text) > MAX_TEXT:
        raise PatternError(f"the pattern's text has {len(text)} characters; at most {MAX_TEXT} are read")
    scan = (_DOTMOTIF if dotmotif else _CYPHER).match
    tokens: list[Token] = []
    position, new_line = 0, False
    while position < len(text):
        found = scan(text, position)
        if found is None or found.lastgroup is None:
            raise _bad_character(text, position)
        kind, piece = found.lastgroup, found.group()
        if piece == "/" and text.startswith("/*", position) and not dotmotif:
            raise _bad_character(text, position)
        if kind in ("space", "comment"):
            new_line = new_line or "\n" in piece
        else:
            token = Token(kind, piece, position, new_line)
            tokens.append(_unquoted(token, text, dotmotif) if kind in ("quoted", "string") else token)
            new_line = False
        position = found.end()
    tokens.append(Token(END, "", len(text), new_line))
    return tokens


def _unquoted(token: Token, text: str, dotmotif: bool) -> Token:
    body = token.text[1:-1]
    if token.kind == "string":
        return token._replace(text=body if dotmotif else _unescape(body, text, token.position + 1))
    if not body:
        raise syntax_error("a quoted name cannot be empty", text, token.position)
    return token._replace(kind=QUOTED, text=body.replace("``", "`"))


def _unescape(body: str, text: str, position: int) -> str:
    def replace(found: re.Match[str]) -> str:
        code = found[1]
        if code in _ESCAPED:
            return _ESCAPED[code]
        number = int(code[1:], 16) if len(code) > 1 else -1
        if not 0 <= number <= 0x10FFFF:
            raise syntax_error("unknown escape in a string", text, position + found.start())
        return chr(number)

    return _ESCAPE.sub(replace, body) if "\\" in body else body


def _bad_character(text: str, position: int) -> PatternSyntaxError:
    character = text[position]
    if character in _UNFINISHED and (character != "/" or text.startswith("/*", position)):
        return syntax_error(f"{_UNFINISHED[character]} is not finished", text, position)
    return syntax_error(f"unexpected character {character!a}", text, position)


class Cursor:
    """A place in the tokens."""

    def __init__(self, text: str, dotmotif: bool = False) -> None:
        self.text = text
        self.tokens = tokenize(text, dotmotif)
        self.at = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def peek(self, ahead: int = 1) -> Token:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def advance(self) -> Token:
        token = self.tokens[self.at]
        if token.kind != END:
            self.at += 1
        return token

    def sees(self, *symbols: str) -> bool:
        token = self.tokens[self.at]
        return token.kind == SYMBOL and token.text in symbols

    def accept(self, *symbols: str) -> Token | None:
        return self.advance() if self.sees(*symbols) else None

    def expect(self, symbol: str, what: str, hint: str | None = None) -> Token:
        if not self.sees(symbol):
            self.fail(f"expected {what}", hint=hint)
        return self.advance()

    def keyword(self, *words: str) -> bool:
        token = self.tokens[self.at]
        return token.kind == NAME and token.text.isascii() and token.text.upper() in words

    def fail(self, message: str, token: Token | None = None, hint: str | None = None) -> NoReturn:
        place = self.token if token is None else token
        if token is None:
            message += f", found {describe(place)}"
        raise syntax_error(message, self.text, place.position, hint)

    def refuse(self, what: str, token: Token | None = None, hint: str | None = None) -> NoReturn:
        raise unsupported_error(what, self.text, (token or self.token).position, hint)

    def number(self, sign: int = 1) -> Constant:
        """The number at the cursor, an int where it is written as one."""
        token = self.advance()
        if len(token.text) > 300:
            self.fail("the number is too long", token)
        return sign * (int(token.text) if token.text.isdigit() else float(token.text))


def describe(token: Token) -> str:
    """A token as an error message names it."""
    if token.kind == END:
        return "the end of the text"
    if token.kind == STRING:
        return "a string"
    shown = token.text if len(token.text) <= 40 else token.text[:40] + "..."
    return ascii(shown)
