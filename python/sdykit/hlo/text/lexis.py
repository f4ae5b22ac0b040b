"""The words of HLO text, as regular expressions.

`INSTRUCTION` matches a whole instruction at once and covers all that XLA prints; the scanner
reads what it does not match, and reports what is wrong with it. All repetition is possessive:
no match visits a character more often than the depth of the nesting that it covers.
"""

from __future__ import annotations

import re

FLAGS = re.ASCII | re.DOTALL

NAME = r"(?:%[\w.\-]++|[A-Za-z_][\w.\-]*+)"
OPCODE = r"[A-Za-z][\w\-]*+"
KEY = r"[A-Za-z_][\w.\-]*+"
STRING = r'"(?:[^"\\]++|\\.)*+"'
COMMENT_OF_INDEX = r"/\*index=\d+\*/"

_PLAIN = r'[^(){}\[\]"]'
_FLAT_SQUARE = rf"\[(?:{_PLAIN}++|{STRING})*+\]"
_OBJECT = rf"\{{(?:{_PLAIN}++|{STRING}|{_FLAT_SQUARE})*+\}}"
_SQUARE = rf"\[(?:{_PLAIN}++|{STRING}|{_FLAT_SQUARE}|{_OBJECT})*+\]"
_ROUND = rf"\((?:{_PLAIN}++|{STRING}|\{{{_PLAIN}*+\}})*+\)"


def _braces(depth: int) -> str:
    inner = "" if depth == 1 else f"|{_braces(depth - 1)}"
    return rf"\{{(?:{_PLAIN}++|{STRING}|{_SQUARE}|{_ROUND}{inner})*+\}}"


def _parentheses(depth: int) -> str:
    inner = "" if depth == 1 else f"|{_parentheses(depth - 1)}"
    return rf'\((?:[^()"]++{inner})*+\)'


# The body of a computation may follow the shape of its result: `-> f32[] {`.
_LAYOUT = rf"\{{(?=[\d:}}])(?:{_PLAIN}++|\({_PLAIN}*+\))*+\}}"
_ARRAY = rf"[A-Za-z]\w*+\[{_PLAIN}*+\](?:{_LAYOUT})?+"


def _tuple(depth: int) -> str:
    inner = "" if depth == 1 else f"|{_tuple(depth - 1)}"
    element = rf"(?:{COMMENT_OF_INDEX})?+(?:{_ARRAY}{inner})"
    return rf"\((?:{element}(?:,\s*+(?!\))|(?=\))))*+\)"


SHAPE = rf"(?:{_ARRAY}|{_tuple(4)})"
VALUE = rf'(?:[^\s,(){{}}\[\]"]++|{STRING}|{_braces(4)}|{_SQUARE}|{_ROUND})++'

INSTRUCTION = re.compile(
    rf"\s*+(?P<root>ROOT\s++)?+(?P<name>{NAME})\s*+=\s*+(?P<shape>{SHAPE})\s*+(?P<opcode>{OPCODE})"
    rf'\((?P<operands>(?:[^()"]++|{_parentheses(3)})*+)\)'
    rf"(?P<attributes>(?:\s*+,\s*+{KEY}={VALUE})*+)"
    # The scanner reads values that continue after a space.
    r"(?=\s*+[}%\w])",
    FLAGS,
)
ATTRIBUTE = re.compile(rf"\s*+,\s*+({KEY})=({VALUE})", FLAGS)
OPERAND = re.compile(
    rf"(?:(?P<shape>{SHAPE})\s++)?+(?P<name>{NAME})\s*+(?:(,)|\Z)",
    FLAGS,
)

COMPUTATION = re.compile(
    rf"\s*+(?P<entry>ENTRY\s++)?+(?P<name>{NAME})\s*+"
    rf"(?:\((?:{NAME}:\s*+{SHAPE}(?:,\s*+(?!\))|(?=\))))*+\)"
    rf"\s*+->\s*+(?P<result>{SHAPE})\s*+)?+\{{",
    FLAGS,
)
MODULE = re.compile(rf"\s*+HloModule\s++(?P<name>{NAME})", FLAGS)
SECTION = re.compile(
    r"\s*+(?P<title>FileNames|FunctionNames|FileLocations|StackFrames)(?![\w.\-])"
    rf"(?P<rows>(?:\s*+\d++\s++(?:{STRING}|\{{[^{{}}]*+\}}))*+)",
    FLAGS,
)

ENTRY = re.compile(r"ENTRY\s++", FLAGS)
ROOT = re.compile(r"ROOT\s++", FLAGS)
SPACE = re.compile(r"\s*+", FLAGS)
WORD = re.compile(rf"{NAME}|\d[\w.]*+|->|{STRING}|\S", FLAGS)
OPENING = re.compile(rf"({OPCODE})\(", FLAGS)
NAMED = re.compile(NAME, FLAGS)
KEYED = re.compile(rf"({KEY})=\s*+", FLAGS)
BRACE = re.compile(r"[{}\[\]]")
ATOM = re.compile(rf'[^\s,(){{}}\[\]"]++|{STRING}', FLAGS)
BRACKET = re.compile(rf"[(){{}}\[\]]|{STRING}|\"", FLAGS)
# How a value may continue after a space: `[2,4] <= [8]`, `mesh['a'=2] {'a'}`, `T(1,0)`.
VALUE_CONTINUES = re.compile(r"[ \t]*+(?:<=[ \t]*+|->[ \t]*+|T(?=\()|(?=[{\[(]))", FLAGS)
SHAPE_AHEAD = re.compile(r"\(|[A-Za-z]\w*+[\[(]", FLAGS)
LAYOUT_AHEAD = re.compile(r"\s*+(?=\{\s*+[\d:}])", FLAGS)
WORD_OF_SHAPE = re.compile(r"[A-Za-z]\w*+(?=[\[(])", FLAGS)

FOREIGN_COMMENT = re.compile(r"//|/\*(?!index=\d++\*/)", FLAGS)
CODE = re.compile(rf'(?:[^/"]++|{STRING}|/(?![/*])|{COMMENT_OF_INDEX})*+', FLAGS)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*+", FLAGS)
NOT_NEWLINE = re.compile(r"[^\n]")
INDEX = re.compile(COMMENT_OF_INDEX, FLAGS)
