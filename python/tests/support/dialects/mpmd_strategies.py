"""Random views of every `mpmd` attribute and type, such as MLIR accepts."""

from __future__ import annotations

from hypothesis import strategies as st

from sdykit.dialects import mpmd
from sdykit.dialects.base import View
from support.dialects.sdy_strategies import meshes, shardings
from support.dialects.strategy_basics import SMALL, names, tuples_of

named_meshes = st.builds(mpmd.NamedMeshAttr, names, meshes())
topologies = st.builds(mpmd.TopologyAttr, tuples_of(named_meshes, min_size=1))
# MLIR prints a count below zero as zero.
user_origins = st.builds(mpmd.UserOriginAttr, names, SMALL | st.integers(0, 2**63 - 1))
origins = st.builds(mpmd.OriginAttr, names)
meshes_with_origins = st.builds(mpmd.MeshWithOriginsAttr, names, tuples_of(origins))

ELEMENT_TYPES = (
    "f32",
    "bf16",
    "f8E4M3B11FNUZ",
    "tf32",
    "i1",
    "si4",
    "ui17",
    "index",
    "complex<f64>",
    "vector<2x[4]xf32>",
    "!stablehlo.token",
    '!mpmd.mesh_tensor<"x>", tensor<4xf32>>',
)
ENCODINGS = (
    "",
    ', "a>]"',
    ", {a = 1 : i64, b = [2.500000e+00 : f32]}",
    ", dense<[1, 2]> : tensor<2xi32>",
    ", affine_map<(d0) -> (d0)>",
    ", #mpmd.reduction<add>",
)


@st.composite
def ranked_tensor_types(draw: st.DrawFn) -> str:
    """Texts of types, as MLIR prints them."""
    sizes = st.integers(0, 9).map(str) | st.integers(0, 2**63 - 1).map(str) | st.just("?")
    shape = "".join(f"{size}x" for size in draw(st.lists(sizes, max_size=4)))
    element_type = draw(st.sampled_from(ELEMENT_TYPES))
    return f"tensor<{shape}{element_type}{draw(st.sampled_from(ENCODINGS))}>"


# The bindings cannot return the text of a mesh tensor whose mesh name is not UTF-8.
mesh_tensors = st.builds(
    mpmd.MeshTensorType,
    names.filter(lambda name: name.isascii() or name.isprintable()),
    ranked_tensor_types(),
    st.none() | shardings,
    st.none() | st.sampled_from(["device", "pinned_host"]) | names,
)

VIEWS: dict[type[View], st.SearchStrategy] = {
    mpmd.MeshTensorType: mesh_tensors,
    mpmd.MeshWithOriginsAttr: meshes_with_origins,
    mpmd.MeshesWithOriginsAttr: st.builds(
        mpmd.MeshesWithOriginsAttr, tuples_of(meshes_with_origins)
    ),
    mpmd.NamedMeshAttr: named_meshes,
    mpmd.OriginAttr: origins,
    mpmd.ReductionAttr: st.builds(mpmd.ReductionAttr, st.sampled_from(mpmd.ReductionType)),
    mpmd.TopologyAttr: topologies,
    mpmd.UserOriginAttr: user_origins,
}
"""For each view class, views of it."""
