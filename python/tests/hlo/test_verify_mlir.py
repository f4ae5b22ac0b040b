"""`-async-verify` over MLIR accepts a wrapped function exactly if it accepts it as HLO."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

from sdykit import hlo
from sdykit.core import capture, run_pipeline
from sdykit.core.diagnostics import Diagnostic
from sdykit.errors import PassFailure
from sdykit.hlo.to_mlir import to_mlir
from sdykit.hlo.verify import verify
from sdykit.mlir import make_context
from support.amounts import examples
from support.hlo.async_chains import Body, Builder, chain_programs, write

SAME_EVERY_TIME = settings(max_examples=examples(300), deadline=None, derandomize=True)


def is_accepted_as_mlir(text: str) -> bool:
    context = make_context()
    with pytest.MonkeyPatch.context() as patched:
        # Invalid programs are written as MLIR, too.
        patched.setattr("sdykit.hlo.to_mlir.module.check", lambda _: None)
        module = to_mlir(hlo.read(text), context)
    found: list[Diagnostic] = []
    with capture(context, found.append), module.context:
        try:
            run_pipeline(module, "async-verify")
        except PassFailure:
            note("\n".join(each.message for each in found))
    return not found


@SAME_EVERY_TIME
@given(chain_programs())
def test_mlir_of_legal_programs_is_accepted(text: str):
    note(text)
    assert is_accepted_as_mlir(text)


def wrapped_program(random: Random) -> str:
    """Return a program that wraps up to three instructions, one of which or a parameter is the root."""
    builder = Builder(random)
    body = Body(builder)
    for at in range(2):
        body.add("parameter", builder.shape(), str(at))
    parameters = list(body.values)
    steps = (Body.any_unary, Body.same, Body.tuple, Body.take, Body.take, own_opcode, of_nothing)
    for _ in range(random.randint(0, 3)):
        random.choice(steps)(body)
    root = random.choice((body.values[-1], body.any()))
    lines = [
        f"  {'ROOT ' if line.startswith(f'%{root.name} ') else ''}{line}" for line in body.lines
    ]
    of_start = random.choice(("", "", ', frontend_attributes={_collectives_group=""}'))
    shapes = [each.shape for each in parameters]
    kind = write((tuple(shapes), root.shape))
    entry = [f"  %a{at} = {write(shape)} parameter({at})" for at, shape in enumerate(shapes)]
    return "\n".join(
        [
            "HloModule random",
            "",
            *("%wrapped {", *lines, "}", ""),
            *("ENTRY %main {", *entry),
            f"  %s = {kind} async-start(%a0, %a1), calls=%wrapped{of_start}",
            f"  ROOT %d = {write(root.shape)} async-done(%s)",
            "}",
        ]
    )


def own_opcode(body: Body) -> None:
    """Add a copy of an array: copy has a start and done of its own."""
    arrays = [value for value in body.values if isinstance(value.shape, str)]
    if arrays:
        value = body.random.choice(arrays)
        body.add("copy", value.shape, f"%{value.name}")


def of_nothing(body: Body) -> None:
    """Add an instruction without arrays in its value."""
    shape = body.random.choice(((), ((),), ((), ((), ()))))
    body.add("custom-call", shape, "", ', custom_call_target="f"')


@SAME_EVERY_TIME
@given(st.integers(0, 2**32).map(lambda seed: wrapped_program(Random(seed))))
def test_mlir_of_a_wrapped_function_is_accepted_exactly_if_the_hlo_is(text: str):
    note(text)
    module = hlo.read(text)
    root = module.computation("wrapped").root
    # One result of a function may be a tuple of one in HLO: it has the same form.
    assume(root.opcode != "tuple" or len(root.operands) != 1)
    assert is_accepted_as_mlir(text) == (not verify(module))
