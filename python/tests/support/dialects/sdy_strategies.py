"""Random views of every `sdy` attribute, such as MLIR accepts."""

from __future__ import annotations

from hypothesis import strategies as st

from sdykit.dialects import sdy
from sdykit.dialects.base import View
from support.dialects.strategy_basics import INT64, SMALL, names, symbols, tuples_of

sub_axis_infos = st.builds(sdy.SubAxisInfoAttr, INT64, INT64)
axis_refs = st.builds(sdy.AxisRefAttr, names, st.none() | sub_axis_infos)
axis_ref_lists = st.builds(sdy.AxisRefListAttr, tuples_of(axis_refs))
mesh_axes = st.builds(sdy.MeshAxisAttr, names, st.integers(1, 2**63 - 1))


@st.composite
def meshes(draw: st.DrawFn) -> sdy.MeshAttr:
    """Meshes with default and with permuted device ids, maximal and empty ones."""
    axis_names = draw(st.lists(names, max_size=3, unique=True))
    if not axis_names:
        return sdy.MeshAttr((), draw(st.just(()) | st.tuples(st.integers(0, 2**63 - 1))))
    sizes = draw(st.lists(st.integers(1, 4), min_size=len(axis_names), max_size=len(axis_names)))
    axes = tuple(map(sdy.MeshAxisAttr, axis_names, sizes))
    devices = range(sdy.MeshAttr(axes).total_size)
    return sdy.MeshAttr(axes, draw(st.just(()) | st.permutations(devices).map(tuple)))


dimension_shardings = st.builds(
    sdy.DimensionShardingAttr,
    tuples_of(axis_refs),
    st.booleans(),
    st.none() | SMALL | st.integers(0, 2**63 - 1),
)
shardings = st.builds(
    sdy.TensorShardingAttr,
    symbols | meshes(),
    tuples_of(dimension_shardings),
    tuples_of(axis_refs),
    tuples_of(axis_refs),
)
all_to_all_params = st.builds(
    sdy.AllToAllParamAttr, tuples_of(axis_refs, min_size=1), SMALL | INT64, SMALL | INT64
)

factors = st.one_of(SMALL, st.integers(15, 30), st.integers(0, 10**6))
dim_mappings = st.builds(sdy.DimMappingAttr, tuples_of(factors))
tensor_mappings = st.builds(sdy.TensorMappingAttr, tuples_of(dim_mappings))
rules = st.builds(
    sdy.OpShardingRuleAttr,
    # More than 32 bits can be built and printed, but the C++ parser does not read them.
    st.lists(SMALL | st.integers(-(2**31), 2**31 - 1), max_size=20).map(tuple),
    tuples_of(tensor_mappings, min_size=1),
    tuples_of(tensor_mappings, min_size=1),
    tuples_of(factors),
    tuples_of(factors),
    tuples_of(factors),
    tuples_of(factors),
    st.booleans(),
)

edge_values = st.builds(sdy.EdgeValueRefAttr, st.sampled_from(sdy.EdgeNodeType), INT64)
axis_details = st.builds(
    sdy.AxisToPropagationDetailsAttr, axis_refs, edge_values, tuples_of(edge_values, min_size=1)
)
steps = st.builds(sdy.PropagationOneStepAttr, INT64, tuples_of(axis_details, min_size=1))

# As the verifier of `#sdy.propagation_edges` wants it.
_valid_details = st.builds(
    lambda axis, values: sdy.AxisToPropagationDetailsAttr(axis, values[0], tuple(values[1:])),
    axis_refs,
    st.lists(edge_values, min_size=2, max_size=4, unique=True),
)
_valid_steps = st.builds(
    sdy.PropagationOneStepAttr,
    SMALL | st.integers(0, 2**63 - 1),
    tuples_of(_valid_details, min_size=1),
)
propagation_edges = st.builds(
    sdy.PropagationEdgesAttr,
    st.lists(_valid_steps, min_size=1, max_size=3, unique_by=lambda step: step.step_index).map(
        tuple
    ),
)

VIEWS: dict[type[View], st.SearchStrategy] = {
    sdy.AllToAllParamAttr: all_to_all_params,
    sdy.AllToAllParamListAttr: st.builds(sdy.AllToAllParamListAttr, tuples_of(all_to_all_params)),
    sdy.AxisRefAttr: axis_refs,
    sdy.AxisRefListAttr: axis_ref_lists,
    sdy.AxisToPropagationDetailsAttr: axis_details,
    sdy.DimMappingAttr: dim_mappings,
    sdy.DimensionShardingAttr: dimension_shardings,
    sdy.EdgeValueRefAttr: edge_values,
    sdy.ListOfAxisRefListsAttr: st.builds(sdy.ListOfAxisRefListsAttr, tuples_of(axis_ref_lists)),
    sdy.ManualAxesAttr: st.builds(sdy.ManualAxesAttr, tuples_of(names)),
    sdy.MeshAttr: meshes(),
    sdy.MeshAxisAttr: mesh_axes,
    sdy.OpShardingRuleAttr: rules,
    sdy.PropagationEdgesAttr: propagation_edges,
    sdy.PropagationOneStepAttr: steps,
    sdy.SubAxisInfoAttr: sub_axis_infos,
    sdy.TensorMappingAttr: tensor_mappings,
    sdy.TensorShardingAttr: shardings,
    sdy.TensorShardingPerValueAttr: st.builds(sdy.TensorShardingPerValueAttr, tuples_of(shardings)),
}
"""For each view class, views of it."""
