"""Writing a fragment into a program."""

from __future__ import annotations

from collections.abc import Sequence

from support.generators.choices import Choices
from support.mpmd.programs.bodies import Body
from support.mpmd.programs.fragment_text import Fragment, fragment_attributes, fragment_head
from support.mpmd.programs.programs import Program
from support.mpmd.programs.types import TOKEN, MeshTensor, Value


def write_fragment(program: Program, choices: Choices, fragment: Fragment) -> bool:
    """Write a fragment, unless an equal one exists; return whether it was written."""
    features, body, operands = program.features, fragment.body, fragment.operands
    names = [*(value.name for value in operands), *fragment.tokens]
    attributes = ", ".join(fragment_attributes(features, choices, fragment))
    head = fragment_head(features, choices, fragment)
    if not program.is_new((body, tuple(names), head, attributes)):
        return False
    for callee in body.callees:
        program.called[callee] = None
    for value in operands:
        value.fragment_uses += 1
    results = _results(program, choices, fragment)
    left = [value.name for value in results]
    if any(slot.tensor is None for slot in body.results):
        left.append(f"%t{len(program.lines)}")
        program.tokens.append(left[-1])
    taken = [value.type for value in operands]
    result_types = [value.type for value in results]
    head += _shardings(program, choices, "in", taken, len(names))
    head += _shardings(program, choices, "out", result_types, len(left))
    arguments = ", ".join(f"{slot.name}: {slot.type}" for slot in body.arguments)
    equals = f"{', '.join(left)} = " if left else ""
    words = f" {{{attributes}}}" if attributes else ""
    program.lines += [
        f"{equals}mpmd.fragment<{head}> ({', '.join(names)}){words} ({arguments}) {{",
        *(f"  {line}" for line in _located(program, choices, body)),
        f"  mpmd.return{_typed([(slot.name, slot.type) for slot in body.results])}",
        f"}} : {_types(taken, len(names))} -> {_types(result_types, len(left))}"
        f"{program.location(choices)}",
    ]
    return True


def _results(program: Program, choices: Choices, fragment: Fragment) -> list[Value]:
    slots = [slot for slot in fragment.body.results if slot.tensor]
    types = list(fragment.types) or [
        program.type(choices, fragment.mesh, slot.tensor) for slot in slots if slot.tensor
    ]
    producer = "inferred" if fragment.inferred else "user"
    return [
        program.add(Value(program.new_name(), type_, choices.seed(), producer, placed=slot.placed))
        for slot, type_ in zip(slots, types, strict=True)
    ]


def _shardings(
    program: Program, choices: Choices, side: str, types: Sequence[MeshTensor], count: int
) -> str:
    """Return the shardings of the types as an attribute, from which propagation starts."""
    if len(types) < count or not types or not all(type_.sharding for type_ in types):
        return ""
    wanted = choices.chance(0.08) and not program.features.oracle
    if not wanted and not program.propagated:
        return ""
    return f", {side}_shardings=[{', '.join(f'<{type_.sharding}>' for type_ in types)}]"


def _types(types: Sequence[MeshTensor], count: int) -> str:
    """Return the types of operands or results as text; those that are not tensors are tokens."""
    tokens = [TOKEN] * (count - len(types))
    return f"({', '.join([*(type_.text for type_ in types), *tokens])})"


def _typed(pairs: Sequence[tuple[str, str]]) -> str:
    if not pairs:
        return ""
    return f" {', '.join(name for name, _ in pairs)} : {', '.join(type_ for _, type_ in pairs)}"


def _located(program: Program, choices: Choices, body: Body) -> list[str]:
    """Return the lines of a body, some with a location, which comparisons of bodies ignore."""
    if not (program.features.locations and choices.chance(0.2)):
        return list(body.lines)
    return [
        f"{line}{program.location(choices)}" if _may_be_located(line) else line
        for line in body.lines
    ]


def _may_be_located(line: str) -> bool:
    """Return whether a line is a whole op without a location, not only the start of one."""
    started = "stablehlo.while" in line or line.endswith("{")
    return line.startswith("%") and not started and " loc(" not in line
