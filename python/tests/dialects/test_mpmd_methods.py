"""Methods of the views that `sdykit.dialects.mpmd.methods` adds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.dialects import mpmd, sdy
from sdykit.mlir import ir
from support.amounts import examples
from support.dialects.mpmd_strategies import ranked_tensor_types

MESH = sdy.MeshAttr.parse('#sdy.mesh<["x"=2, "y"=4]>')
TOPOLOGY = mpmd.TopologyAttr.parse(
    '#mpmd.topology<<"m1" : <["x"=2, "y"=4]>>, <"m2" : <["x"=8]>>, <"m1" : <[]>>>'
)


def mesh_tensor(tensor: str, rest: str = "") -> mpmd.MeshTensorType:
    return mpmd.MeshTensorType.parse(f'!mpmd.mesh_tensor<"m1", tensor<{tensor}>{rest}>')


def test_a_topology_has_its_meshes_by_name() -> None:
    assert TOPOLOGY.names == ("m1", "m2", "m1")
    assert TOPOLOGY.mesh("m1") == MESH
    assert TOPOLOGY.mesh("m2").axis_size("x") == 8
    with pytest.raises(LookupError) as caught:
        TOPOLOGY.mesh("m")
    assert str(caught.value) == "the topology has no mesh 'm'; it has 'm1', 'm2', 'm1'"
    with pytest.raises(LookupError, match="it has none"):
        mpmd.TopologyAttr(()).mesh("m")


@pytest.mark.parametrize(
    ("memory_kind", "expected"),
    [(None, False), ("device", False), ("pinned_host", True), ("unpinned_host", False)],
)
def test_is_on_host(memory_kind: str | None, expected: bool) -> None:
    assert mpmd.MeshTensorType("m", "tensor<f32>", None, memory_kind).is_on_host == expected


@given(ranked_tensor_types())
@settings(max_examples=examples(200), deadline=None)
def test_shape_and_elements_are_as_mlir_says(context: ir.Context, tensor: str) -> None:
    view = mpmd.MeshTensorType("m", tensor)
    mlir_type = ir.ShapedType(view.to_type(context))
    assert view.element_type == str(mlir_type.element_type)
    if mlir_type.has_static_shape:
        assert view.global_shape == view.local_shape(MESH) == tuple(mlir_type.shape)
    else:
        with pytest.raises(ValueError, match="has a dynamic dimension, whose size is not known"):
            _ = view.global_shape
    assert view.local_type(MESH) == tensor


@pytest.mark.parametrize(
    ("tensor", "sharding", "expected"),
    [
        ("4x8xf32", '<@m, [{"x"}, {}]>', "2x8xf32"),
        ("4x8xf32", '<@m, [{}, {"x", "y"}]>', "4x1xf32"),
        ("4x8xf32", '<@m, [{"y":(1)2}, {"y":(2)2, ?}p3]>', "2x4xf32"),
        ("4x8xf32", '<@m, [{?}, {?}], replicated={"x"}, unreduced={"y"}>', "4x8xf32"),
        ("3x9xi1", '<@m, [{"x"}, {"y"}]>', "2x3xi1"),  # rounded up
        ("0x8xf32", '<@m, [{"x"}, {}]>', "0x8xf32"),
        ("?x8xf32", '<@m, [{"x"}, {"y"}]>', "?x2xf32"),
        ('4x8xf32, "e"', '<@m, [{"x"}, {}]>', '2x8xf32, "e"'),
        ("8x!stablehlo.token", '<@m, [{"x"}]>', "4x!stablehlo.token"),
        ("f32", "<@m, []>", "f32"),
        ("4x8xf32", "<mesh<[], device_ids=[3]>, []>", "4x8xf32"),  # whole, on one device
        ("4x8xf32", '<mesh<["z"=4]>, [{"z"}, {}]>', "1x8xf32"),  # its own mesh
    ],
)
def test_a_local_type_has_the_shape_of_one_device(
    tensor: str, sharding: str, expected: str
) -> None:
    view = mesh_tensor(tensor, f", sharding={sharding}")
    assert view.local_type(MESH) == f"tensor<{expected}>"
    if "?" not in tensor:
        local = mesh_tensor(expected)
        assert view.local_shape(MESH) == local.global_shape
        assert view.global_shape == mesh_tensor(tensor).global_shape


@st.composite
def divided_tensors(draw: st.DrawFn) -> mpmd.MeshTensorType:
    """Mesh tensors split by axes of `MESH`, which divide the dimensions."""
    dimensions: list[list[str]] = [[] for _ in range(draw(st.integers(1, 3)))]
    for axis in draw(st.permutations(['"x"', '"y"'])):
        draw(st.sampled_from([*dimensions, []])).append(axis)
    sharding = ", ".join(f"{{{', '.join(axes)}}}" for axes in dimensions)
    shape = "".join(f"{8 * draw(st.integers(0, 3))}x" for _ in dimensions)
    return mesh_tensor(f"{shape}f32", f", sharding=<@mesh, [{sharding}]>")


MANUAL = """
sdy.mesh @mesh = MESH
func.func @f(%a: FULL) -> FULL {
  %0 = sdy.manual_computation(%a) in_shardings=[SHARDING] out_shardings=[SHARDING]
      manual_axes={"x", "y"} (%b: LOCAL) {
    sdy.return %b : LOCAL
  } : (FULL) -> FULL
  return %0 : FULL
}"""


@given(divided_tensors())
@settings(max_examples=examples(100), deadline=None)
def test_local_type_is_what_a_manual_computation_sees(
    context: ir.Context, view: mpmd.MeshTensorType
) -> None:
    """Where all axes are manual, the verifier of `sdy` wants local types."""
    assert view.sharding is not None
    used = {axis.name for axis in view.sharding.all_axes()}
    replicated = tuple(sdy.AxisRefAttr(name) for name in MESH.axis_names if name not in used)
    sharding = sdy.TensorShardingAttr("mesh", view.sharding.dim_shardings, replicated)
    text = MANUAL.replace("MESH", MESH.print_body()).replace("SHARDING", sharding.print_body())
    text = text.replace("FULL", view.ranked_tensor_type)
    local = view.local_type(MESH)
    ir.Module.parse(text.replace("LOCAL", local), context)
    with pytest.raises(ir.MLIRError, match=f"Expected local shape '{re.escape(local)}'"):
        ir.Module.parse(text.replace("LOCAL", "tensor<7xf32>"), context)


def test_local_types_need_a_mesh_that_fits() -> None:
    view = mesh_tensor("4x8xf32", ', sharding=<@m, [{"x"}, {}]>')
    message = f"the sharding of {view} only names its mesh; pass `mesh`"
    with pytest.raises(ValueError, match=re.escape(message)):
        view.local_shape()
    with pytest.raises(LookupError, match="has no axis 'x'"):
        view.local_type(sdy.MeshAttr())
    view = mesh_tensor("4x8xf32", ', sharding=<@m, [{"x"}]>')
    message = f"the sharding of {view} has 1 dimensions, and the tensor 2"
    with pytest.raises(ValueError, match=re.escape(message)):
        view.local_type(MESH)
    assert mesh_tensor("4x8xf32").local_type() == "tensor<4x8xf32>"
    assert mesh_tensor("4x8xf32", ", sharding=<@m, [{?}, {}]>").local_shape() == (4, 8)
    with pytest.raises(
        ValueError, match="expected a ranked tensor type as MLIR prints it, found f3"
    ):
        _ = mpmd.MeshTensorType("m", "f32").global_shape


@pytest.mark.parametrize(
    ("tensor", "sharding", "expected"),
    [
        ("4x8xf32", "", 128),
        ("f32", "", 4),
        ("4x8xf32", ', sharding=<@m, [{"x"}, {"y"}]>', 16),
        ("4x8xf32", ', sharding=<@m, [{"x"}, {}]>, memory_kind="pinned_host"', 64),
        ("0x8xf32", "", 0),
        ("8xi1", "", 1),
        ("9xi1", "", 2),
        ("3xi4", "", 2),
        ("6xi4", ', sharding=<@m, [{"x"}]>', 2),  # 3 elements, 12 bits
        ("5xui4", "", 3),
        ("3xi2", "", 1),
        ("3xbf16", "", 6),
        ("3xf4E2M1FN", "", 2),
        ("3xf6E2M3FN", "", 3),
        ("3xf8E8M0FNU", "", 3),
        ("3xf64", "", 24),
        ("3xindex", "", 24),
        ("3xcomplex<f32>", "", 24),
        ("3xcomplex<f64>", "", 48),
    ],
)
def test_sizes_in_bytes_are_those_of_one_device(tensor: str, sharding: str, expected: int) -> None:
    view = mesh_tensor(tensor, sharding)
    assert view.size_in_bytes(MESH) == expected
    assert 0 <= 8 * expected - view.size_in_bits(MESH) < 8


def test_widths_of_elements_are_as_mlir_says(context: ir.Context) -> None:
    with context:
        kinds: list[type[ir.FloatType]] = ir.FloatType.__subclasses__()
        floats = [kind.get() for kind in kinds]  # pyright: ignore[reportAttributeAccessIssue]
        floats += [ir.Type.parse(text) for text in ("f80", "f128")]
        integers = [ir.Type.parse(f"{sign}i{n}") for sign in ("", "s", "u") for n in (1, 2, 7, 32)]
    assert len(floats) > 15
    for each in floats:
        width = each.width if isinstance(each, ir.FloatType) else int(str(each)[1:])
        assert mesh_tensor(f"8x{each}").size_in_bytes() == width, str(each)
        assert mesh_tensor(f"{each}").size_in_bits() == width
    for each in integers:
        assert mesh_tensor(f"8x{each}").size_in_bytes() == ir.IntegerType(each).width


@pytest.mark.parametrize("element", ["!stablehlo.token", "vector<2xf32>", "none", "i0", "f"])
def test_unknown_element_types_have_no_size(element: str) -> None:
    view = mpmd.MeshTensorType("m", f"tensor<4x{element}>")
    with pytest.raises(ValueError, match=f"the size of elements of type {element} is not known"):
        view.size_in_bytes()


def test_dynamic_dimensions_have_no_size() -> None:
    for size in (mesh_tensor("?x8xf32").local_shape, mesh_tensor("?x8xf32").size_in_bytes):
        with pytest.raises(ValueError, match=r"^tensor<\?x8xf32> has a dynamic dimension, whose"):
            size(MESH)
