"""Properties of the marks of aliasing and donation, on random programs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sdykit.mlir import ir
from support.mpmd.checks import (
    dictionaries,
    main_function,
    main_ops,
    random_modules,
    run_unverified,
)

PIPELINES = (
    "mpmd-mark-aliasing-and-donation",
    "mpmd-mark-offloaded-input-output,mpmd-mark-input-output-with-layouts,"
    "mpmd-mark-aliasing-and-donation",
)
DONOR, ALIAS = "jax.buffer_donor", "tf.aliasing_output"
HOST = '"pinned_host"'


@dataclass
class Operand:
    """An operand of a fragment."""

    fragment: ir.Operation
    number: int
    value: ir.Value
    own: dict[str, str]
    """The attributes of the operand on the fragment."""
    argument: dict[str, str] | None
    """The attributes of the function argument that it is; None for other values."""
    is_last_use: bool
    is_transferred: bool

    @property
    def is_free(self) -> bool:
        """Whether the buffer is no longer needed, and may be overwritten."""
        dead = self.is_last_use and not self.is_transferred
        allowed = self.argument is None or donates(self.argument) or ALIAS in self.argument
        return dead and allowed and self.own.get("mhlo.memory_kind") != HOST


def donates(marks: dict[str, str]) -> bool:
    return marks.get(DONOR) == "true"


def operands(module: ir.Module) -> Iterator[list[Operand]]:
    """Return the operands of each fragment of `main`."""
    func, ops = main_function(module), main_ops(module)
    arguments = list(func.regions[0].blocks[0].arguments)
    marks = dict(zip(arguments, dictionaries(func, "arg_attrs", len(arguments)), strict=True))
    uses = [(value, op, n) for op in ops for n, value in enumerate(op.operands)]
    last = {value: (op, n) for value, op, n in uses}
    transferred = {value for value, op, _ in uses if op.name == "mpmd.transfer"}
    for op in ops:
        if op.name == "mpmd.fragment":
            own = dictionaries(op, "arg_attrs", len(op.operands))
            yield [
                Operand(op, n, v, own[n], marks.get(v), last[v] == (op, n), v in transferred)
                for n, v in enumerate(op.operands)
            ]


def alias_of(operand: Operand) -> int | None:
    text = operand.own.get(ALIAS)
    if text is None:
        return None
    match = re.fullmatch(r"(\d+) : i32", text)
    assert match, text
    return int(match[1])


def test_exactly_the_free_operands_are_marked() -> None:
    marked = aliased = unmarked = 0
    for pipeline in PIPELINES:
        for module in random_modules(fragment_attributes=False):
            if not run_unverified(module, pipeline):
                continue
            for fragment_operands in operands(module):
                check_aliases(fragment_operands)
                for operand in fragment_operands:
                    is_marked = DONOR in operand.own or ALIAS in operand.own
                    assert is_marked == operand.is_free, module
                    marked += DONOR in operand.own
                    aliased += ALIAS in operand.own
                    unmarked += not is_marked
    assert min(marked, aliased, unmarked) > 100


def check_aliases(fragment_operands: list[Operand]) -> None:
    """Check that each alias fits a distinct output, and that no donor could have had one."""
    if not fragment_operands:
        return
    fragment = fragment_operands[0].fragment
    results = dictionaries(fragment, "res_attrs", len(fragment.results))
    left = dict(enumerate(fragment.results))
    for operand in fragment_operands:
        assert not (DONOR in operand.own and ALIAS in operand.own)
        number = alias_of(operand)
        if number is not None:
            assert operand.argument is None or not donates(operand.argument)
            assert fits(operand, left.pop(number), results[number])
    for operand in fragment_operands:
        if DONOR in operand.own and (operand.argument is None or not donates(operand.argument)):
            assert not any(fits(operand, left[n], results[n]) for n in left)


def fits(operand: Operand, result: ir.Value, own: dict[str, str]) -> bool:
    layouts = operand.own.get("mhlo.layout_mode"), own.get("mhlo.layout_mode")
    return (
        operand.value.type == result.type
        and layouts[0] == layouts[1]
        and own.get("mhlo.memory_kind") != HOST
    )


def test_an_aliased_argument_shares_its_buffer_with_the_result_it_names() -> None:
    """An aliased argument shares its buffer with the result it names, if both can."""
    preferred = 0
    for module in random_modules(fragment_attributes=False, transfers=False):
        assert run_unverified(module, PIPELINES[0])
        returned = list(main_ops(module)[-1].operands)
        for fragment_operands in operands(module):
            taken = {alias_of(operand) for operand in fragment_operands}
            for operand in fragment_operands:
                expected = preferred_result(operand, returned)
                if expected is None or not operand.is_free:
                    continue
                earlier = {alias_of(o) for o in fragment_operands[: operand.number]}
                assert alias_of(operand) == expected or expected in earlier
                assert expected in taken
                preferred += alias_of(operand) == expected
    assert preferred > 0


def preferred_result(operand: Operand, returned: list[ir.Value]) -> int | None:
    """Return the output that becomes the result that the argument is aliased with, if it fits."""
    if operand.argument is None or donates(operand.argument) or ALIAS not in operand.argument:
        return None
    number = int(operand.argument[ALIAS].partition(" ")[0])
    if number >= len(returned):
        return None
    value = returned[number]
    if not isinstance(value, ir.OpResult) or value.owner != operand.fragment:
        return None
    return value.result_number if fits(operand, value, {}) else None
