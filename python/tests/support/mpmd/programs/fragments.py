"""Statements that write fragments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from support.generators.choices import Choices
from support.mpmd.programs.fragment_text import Fragment
from support.mpmd.programs.programs import Family, Program
from support.mpmd.programs.random_bodies import BodyWish, random_body, reshard_body
from support.mpmd.programs.types import Mesh, Tensor, Value
from support.mpmd.programs.writer import write_fragment

Statement = Callable[[Program, Choices], None]


def user_fragment(program: Program, choices: Choices) -> None:
    _new(program, choices, inferred=False)


def inferred_fragment(program: Program, choices: Choices) -> None:
    _new(program, choices, inferred=True)


def _new(program: Program, choices: Choices, *, inferred: bool) -> None:
    mesh = program.mesh(choices)
    count = choices.pick((1, 1, 1, 1, 2, 2, 2, 3, 3, 0)) if program.features.large else 1
    operands = _operands(program, choices, mesh, [None] * count, inferred=inferred)
    wish = BodyWish(tuple(value.type.tensor for value in operands), choices.pick(program.tensors))
    body = random_body(program.features, choices, program.callees, wish)
    program.families.append(Family(body, choices.seed()))
    _write_member(program, choices, program.families[-1], Fragment(mesh, body, operands, inferred))


def _operands(
    program: Program,
    choices: Choices,
    mesh: Mesh,
    tensors: Sequence[Tensor | None],
    *,
    inferred: bool,
) -> list[Value]:
    """Pick operands so that no inferred fragment can be merged with another one on its mesh."""
    free = not program.features.oracle
    unwanted = {"user", "inferred"} if inferred else {"inferred"}
    operands: list[Value] = []
    for tensor in tensors:
        operands.append(
            program.operand(
                choices, mesh, tensor, lambda v: free or v.producer not in unwanted, operands
            )
        )
    return operands


def repeated_fragment(program: Program, choices: Choices) -> None:
    """Write a fragment with the body of an earlier one, or with its parts in another order."""
    found = [family for family in program.families if family.body.arguments]
    if not found:
        user_fragment(program, choices)
        return
    family, mesh = choices.pick(found), program.mesh(choices)
    body = family.body
    if choices.chance(0.2):
        body = body.shuffled(choices)
    inferred = choices.chance(0.15) and program.features.inferred
    tensors = [slot.tensor for slot in body.arguments]
    operands = _operands(program, choices, mesh, tensors, inferred=inferred)
    _write_member(program, choices, family, Fragment(mesh, body, operands, inferred))


def _write_member(program: Program, choices: Choices, family: Family, fragment: Fragment) -> None:
    seed = family.seed if choices.chance(0.8) else choices.seed()
    fragment = replace(fragment, seed=seed, repetition=family.members)
    family.members += write_fragment(program, choices, fragment)


def reshard(program: Program, choices: Choices) -> None:
    """Write an inferred fragment that only returns its argument, with another type."""
    mesh = program.mesh(choices)
    (operand,) = _operands(program, choices, mesh, [None], inferred=True)
    types = [program.type(choices, mesh, operand.type.tensor) for _ in range(3)]
    types = [type_ for type_ in types if not program.features.oracle or type_ != operand.type]
    if types:
        body = reshard_body(operand.type.tensor)
        fragment = Fragment(mesh, body, [operand], inferred=True, types=types[:1])
        write_fragment(program, choices, fragment)


def token_fragments(program: Program, choices: Choices) -> None:
    """Write a fragment that returns a token, unless there is one, and some that thread it.

    The last fragment returns no token, since the clean-up passes remove unused results.
    """
    token = choices.pick(program.tokens) if program.tokens and choices.chance(0.6) else None
    for left in reversed(range(choices.pick((1, 1, 1, 2, 3)) + (token is None))):
        unused = not program.features.oracle and choices.chance(0.3)
        _with_token(program, choices, token, returns=left > 0 or unused)
        token = program.tokens[-1] if program.tokens else None


def _with_token(program: Program, choices: Choices, token: str | None, *, returns: bool) -> None:
    """Write a fragment with a token and a new argument, so that it equals no other fragment."""
    mesh = program.mesh(choices)
    count = choices.pick((0, 0, 1))
    operands = _operands(program, choices, mesh, [None] * count, inferred=False)
    operands.append(program.argument(choices, mesh))
    wish = BodyWish(
        tuple(value.type.tensor for value in operands),
        takes_token=token is not None,
        returns_token=returns,
    )
    body = random_body(program.features, choices, program.callees, wish)
    tokens = [token] if token else []
    write_fragment(program, choices, Fragment(mesh, body, operands, tokens=tokens))
