"""Errors of a program read from MLIR show places in its text, whatever its locations are."""

from __future__ import annotations

import pytest

from sdykit import hlo
from sdykit.hlo.from_mlir import from_mlir
from sdykit.hlo.from_mlir.places import without_locations
from sdykit.hlo.model.source import Source
from sdykit.hlo.to_mlir import to_mlir
from sdykit.hlo.verify import verify
from sdykit.mlir import ir, make_context

BUNDLE = "!mhlo.async_bundle<tuple<tensor<4xf32>>, tensor<4xf32>>"
START = '"mhlo.async_start"(%a) {called_computation = @w, execution_thread = "t"}'
TWO_USERS = f"""\
#file = loc("a file.py":3:4)
#where = loc("here"(#file))
func.func private @w(%a: tensor<4xf32> loc("x")) -> tensor<4xf32>
    attributes {{execution_thread = "t"}} {{
  %0 = stablehlo.abs %a : tensor<4xf32> loc(fused<"abs.1">["a (b", callsite("f" at #where)])
  return %0 : tensor<4xf32> loc(#where)
}}
// loc("in a comment"
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = {START} : (tensor<4xf32>) -> {BUNDLE} loc("s")
  %1 = "mhlo.async_done"(%0) : ({BUNDLE}) -> tensor<4xf32> loc("d (\\"")
  %2 = "mhlo.async_done"(%0) {{hlo.metadata = "loc(x)"}} : ({BUNDLE}) -> tensor<4xf32> loc(#file)
  return %1 : tensor<4xf32> loc(unknown)
}} loc("main")
"""


def program(text: str, *, source: bool = True) -> hlo.Module:
    module = ir.Module.parse(text, make_context())
    return from_mlir(module, Source("in.mlir", text) if source else None)


def places(module: hlo.Module) -> list[str]:
    (found,) = verify(module)
    return [str(each.location) for each in (found, *found.notes)]


def test_places_are_those_in_the_text():
    module = program(TWO_USERS)
    assert places(module) == ["in.mlir:10:8", "in.mlir:11:8", "in.mlir:12:8"]
    wrapped = module.computation("w")
    assert str(wrapped.location) == "in.mlir:3:1"
    assert [str(op.location) for op in wrapped] == ["in.mlir:3:22", "in.mlir:5:8"]
    assert [op.name for op in wrapped] == ["x", "abs.1"]


def test_without_a_text_places_are_the_locations_of_the_ops():
    assert places(program(TWO_USERS, source=False)) == [
        'loc("s"):0:0',
        'loc("d (\\22"):0:0',
        "a file.py:3:4",
    ]


def test_an_unknown_location_is_no_place_without_a_text():
    text = TWO_USERS.replace('loc("s")', "loc(unknown)")
    assert places(program(text, source=False))[0] == "None"
    assert places(program(text))[0] == "in.mlir:10:8"


def test_a_text_with_a_location_as_attribute_falls_back_to_locations():
    """The text cannot be parsed without its locations, so places are those of the ops."""
    text = TWO_USERS.replace(f"{START} :", f"{START[:-1]}, a.b = loc(#file)}} :")
    with pytest.raises(hlo.HloError) as caught:
        program(text)
    message = "op mhlo.async_start has no form in HLO: attribute a.b would be lost"
    assert str(caught.value) == f'loc("s"):0:0: error: {message}'


def test_instructions_without_an_op_have_the_place_of_their_first_user():
    pair = "tensor<i32>, tensor<i32>"
    text = f"""\
func.func @main(%a: tuple<{pair}>) -> tuple<{pair}> {{
  %0 = stablehlo.get_tuple_element %a[0] {{hlo.implied}} : (tuple<{pair}>) -> tensor<i32>
  %1 = stablehlo.abs %0 : tensor<i32>
  %2 = stablehlo.tuple %1, %1 {{hlo.implied}} : tuple<{pair}>
  return %2 : tuple<{pair}>
}}
"""
    module = program(text)
    assert [(op.opcode, str(op.location)) for op in module.entry] == [
        ("parameter", "in.mlir:1:17"),
        ("get-tuple-element", "in.mlir:3:8"),
        ("abs", "in.mlir:3:8"),
        ("tuple", "in.mlir:4:8"),
    ]


def test_errors_of_the_way_back_show_the_text_that_was_read():
    module = program("func.func @main(%a: tensor<f32>) {\n  return\n}\n")
    module.entry.add("z", "f32[]", "domain", module.entry.parameters, like=module.entry.root)
    with pytest.raises(hlo.HloError, match=r"^in\.mlir:2:3: error: opcode domain has no form"):
        to_mlir(module, make_context())


def test_only_locations_are_blanked():
    text = '#a = loc("x") #b = 1 "loc(" @loc("y") // loc(z)\n%0 = f.loc(%1) loc(#a) loc("(\\")")'
    blank = '              #b = 1 "loc(" @loc("y") // loc(z)\n%0 = f.loc(%1)' + " " * 20
    assert without_locations(text) == blank
    assert without_locations("a loc(b") == "a      "
