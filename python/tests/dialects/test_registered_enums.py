"""The enums in ODS and those of the dialects that jaxlib registers are the same."""

from __future__ import annotations

import inspect
import re
from enum import IntEnum
from types import ModuleType

import pytest

from sdykit.dialects import mpmd, sdy
from sdykit.mlir import ir
from support.dialects.subjects import MPMD, SDY


def enums(module: ModuleType) -> dict[str, type[IntEnum]]:
    return {
        name: value
        for name, value in vars(module).items()
        if inspect.isclass(value) and issubclass(value, IntEnum) and value is not IntEnum
    }


def test_enums_are_as_jaxlibs() -> None:
    ours, expected = enums(SDY.enums), enums(SDY.theirs)
    assert set(ours) == set(expected)
    for name, cases in ours.items():
        assert cases is not expected[name]
        assert {(c.name, c.value, str(c)) for c in cases} == {
            (c.name, c.value, str(c)) for c in expected[name]
        }


def test_jaxlib_has_no_enum_classes_of_mpmd() -> None:
    assert set(enums(MPMD.enums)) == {"ReductionType"}
    assert not enums(MPMD.theirs)


def direction(text: str, context: ir.Context) -> int:
    module_text = SDY.module_text("propagation_barrier").replace("FORWARD", text)
    module = ir.Module.parse(module_text, context)
    barrier = module.body.operations[1].regions[0].blocks[0].operations[0]
    return ir.IntegerAttr(barrier.attributes["allowed_direction"]).value


def test_directions_have_the_values_that_jaxlib_registers(context: ir.Context) -> None:
    for case in sdy.PropagationDirection:
        if case is sdy.PropagationDirection.BOTH:
            with pytest.raises(ir.MLIRError, match="cannot specify `BOTH`"):
                direction(str(case), context)
        else:
            assert direction(str(case), context) == case.value
    with pytest.raises(ir.MLIRError) as caught:
        direction("SIDEWAYS", context)
    expected = ", ".join(str(case) for case in sdy.PropagationDirection)
    assert f"enum values for attribute 'allowed_direction' [{expected}]" in str(caught.value)
    beyond = len(sdy.PropagationDirection)
    generic = f"""
      func.func @f(%a: tensor<f32>) {{
        %0 = "sdy.propagation_barrier"(%a) {{allowed_direction = {beyond} : i32}}
            : (tensor<f32>) -> tensor<f32>
        return
      }}"""
    with pytest.raises(ir.MLIRError, match="failed to satisfy constraint"):
        ir.Module.parse(generic, context)


@pytest.mark.parametrize(
    ("cases", "text"),
    [
        (sdy.EdgeNodeType, "#sdy<edge_value_ref {}-0>"),
        (mpmd.ReductionType, "#mpmd.reduction<{}>"),
    ],
)
def test_cases_in_attributes_are_those_that_jaxlib_registers(
    cases: type[IntEnum], text: str, context: ir.Context
) -> None:
    for case in cases:
        ir.Attribute.parse(text.format(case), context)
    with pytest.raises(ir.MLIRError) as caught:
        ir.Attribute.parse(text.format("other"), context)
    # MLIR lists the cases in the order of their values.
    listed = re.search(r"one of: ([\w, ]+)", str(caught.value))
    assert listed is not None
    assert listed[1].split(", ") == [str(case) for case in sorted(cases)]
    assert sorted(cases) == list(range(len(cases)))
