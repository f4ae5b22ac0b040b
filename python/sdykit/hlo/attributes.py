"""The attributes of instructions: which are of a kind, and how their values are read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sdykit.hlo.text.lexis import STRING

COMPUTATION_ATTRIBUTES = frozenset(
    {
        "body",
        "branch_computations",
        "called_computations",
        "calls",
        "condition",
        "false_computation",
        "scatter",
        "select",
        "to_apply",
        "true_computation",
    }
)
"""Attributes whose values name computations."""

COMMON_ATTRIBUTES = frozenset(
    {
        "async_execution_thread",
        "backend_config",
        "control-predecessors",
        "frontend_attributes",
        "metadata",
        "origin",
        "parameter_replication",
        "sharding",
        "statistics",
    }
)
"""Attributes that every opcode may have; on a sugared start they are those of the start."""

CONTROL = "control-predecessors"
"""The attribute that `Instruction.control_predecessors` is printed as."""

AFTER_CONTROL = frozenset({"backend_config", "metadata", "origin", "statistics"})
"""Attributes that XLA prints after `control-predecessors`."""

ALIASING = "output_to_operand_aliasing"
"""The attribute that declares outputs and operands to be one buffer."""

_NAME = re.compile(r"%([\w.\-]++)", re.ASCII)
_NAMES = re.compile(r"\{?\s*+(%?[\w.\-]++(?:\s*+,\s*+%?[\w.\-]++)*+)\s*+\}?", re.ASCII)
_SEPARATOR = re.compile(r"\s*,\s*")
_MARK = re.compile(rf"{STRING}|[(){{}}\[\],]", re.DOTALL)
_INDEX = r"\s*(?:\d+\s*(?:,\s*\d+\s*)*)?"
_ENTRY = re.compile(
    rf"\s*\{{(?P<output>{_INDEX})\}}\s*:\s*"
    rf"\(\s*(?P<operand>\d+)\s*,\s*\{{(?P<index>{_INDEX})\}}\s*(?:,\s*[\w-]+\s*)?\)\s*"
)


@dataclass(frozen=True, slots=True)
class Alias:
    """One entry: the output at an index and the operand at an index are one buffer."""

    output: tuple[int, ...]
    operand: int
    operand_index: tuple[int, ...]


def names_in(value: str) -> list[str]:
    """Return the names, without `%`, in `%a` or `{%a, %b}`; none for any other text."""
    only = _NAME.fullmatch(value)
    if only is not None:  # The commonest, and in half the time.
        return [only[1]]
    found = _NAMES.fullmatch(value)
    return _SEPARATOR.split(found[1].replace("%", "")) if found else []


def entries_in(value: str) -> dict[str, str]:
    """Return the text of each entry in `{a="x",b={c="y"}}` by name, without quotes."""
    if not value.startswith("{"):
        return {}
    found, depth, start = dict[str, str](), 0, 1
    for mark in _MARK.finditer(value, 1):
        if mark[0] in ",}" and not depth:
            name, equals, text = value[start : mark.start()].partition("=")
            if equals:
                found[unquoted(name.strip())] = unquoted(text.strip())
            start = mark.end()
        depth += (mark[0] in "({[") - (mark[0] in ")}]")
    return found


def unquoted(value: str) -> str:
    """Return a string without its quotes; escapes stay as they are."""
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value


def quoted(text: str) -> str:
    """Return a text in quotes, with quotes, backslashes and line breaks escaped."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def parse_aliases(text: str) -> list[Alias] | None:
    """Return the entries of `{{0}: (1, {}), ...}`; None for any other text."""
    body = text.strip()
    if not (body.startswith("{") and body.endswith("}")):
        return None
    aliases: list[Alias] = []
    at, end = 1, len(body) - 1
    while at < end:
        match = _ENTRY.match(body, at, end)
        if match is None or (match.end() < end and body[match.end()] != ","):
            return None
        operand, index = int(match["operand"]), _index(match["index"])
        aliases.append(Alias(_index(match["output"]), operand, index))
        at = match.end() + 1
        if at == end:
            return None  # It ends in a comma.
    return aliases


def index_text(index: tuple[int, ...]) -> str:
    """Return an index as XLA prints it: `{1,0}`."""
    return "{" + ",".join(map(str, index)) + "}"


def _index(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.replace(",", " ").split())
