"""Views of existing attributes and operations: `of`, its cache, and `view`."""

from __future__ import annotations

import gc

import pytest

from sdykit.dialects import _views_base, sdy
from sdykit.dialects.views import view
from sdykit.mlir import ir, make_context

TEXT = '#sdy.sharding<@mesh, [{"x", ?}, {}], replicated={"y"}>'
MODULE = """
sdy.mesh @mesh = <["x"=2]>
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""


def test_of_reads_an_attribute_once(context: ir.Context) -> None:
    first = sdy.TensorShardingAttr.of(ir.Attribute.parse(TEXT, context))
    assert sdy.TensorShardingAttr.of(ir.Attribute.parse(TEXT, context)) is first


def test_of_takes_the_kind_from_the_attribute(context: ir.Context) -> None:
    sharding = ir.Attribute.parse(TEXT, context)
    mesh = ir.Attribute.parse("#sdy.mesh<[]>", context)
    for _ in range(2):  # read, then cached
        with pytest.raises(TypeError) as caught:
            sdy.MeshAttr.of(sharding)
        assert str(caught.value) == f"expected #sdy.mesh, got {TEXT}"
        assert sdy.TensorShardingAttr.of(sharding).mesh_or_ref == "mesh"
        with pytest.raises(TypeError, match=r"expected #sdy.sharding, got #sdy.mesh<\[\]>"):
            sdy.TensorShardingAttr.of(mesh)
        assert sdy.MeshAttr.of(mesh).is_empty


@pytest.mark.parametrize("text", ["42 : i32", '"#sdy.mesh<[]>"', "@mesh", "[#sdy.mesh<[]>]"])
def test_of_rejects_other_attributes(text: str, context: ir.Context) -> None:
    with pytest.raises(TypeError, match=r"expected #sdy\.mesh, got"):
        sdy.MeshAttr.of(ir.Attribute.parse(text, context))


@pytest.mark.parametrize("value", [None, "#sdy.mesh<[]>", sdy.MeshAttr()])
def test_of_rejects_what_is_no_attribute(value: object) -> None:
    with pytest.raises(TypeError, match=r"expected #sdy\.mesh, got"):
        sdy.MeshAttr.of(value)  # pyright: ignore[reportArgumentType]


def test_kinds_with_a_common_prefix_are_told_apart(context: ir.Context) -> None:
    axes = ir.Attribute.parse('#sdy<axis_ref_list{"x"}>', context)
    with pytest.raises(TypeError, match=r"expected #sdy\.axis_ref, got"):
        sdy.AxisRefAttr.of(axes)
    axis = ir.Attribute.parse('#sdy<mesh_axis"x"=2>', context)
    with pytest.raises(TypeError, match=r"expected #sdy\.mesh, got"):
        sdy.MeshAttr.of(axis)


def test_the_cache_keeps_no_context_alive() -> None:
    context = make_context()
    key = id(context)
    view_of_attribute = sdy.TensorShardingAttr.of(ir.Attribute.parse(TEXT, context))
    assert view_of_attribute in _views_base._views_of_context[key].values()
    del context
    gc.collect()
    assert key not in _views_base._views_of_context
    assert str(view_of_attribute) == TEXT


def test_a_new_context_sees_no_view_of_an_old_one() -> None:
    # With attributes of one size made first in each, addresses come up again.
    addresses: set[int] = set()
    again = 0
    for size in range(40):
        context = make_context()
        attribute = ir.Attribute.parse(f'#sdy.mesh<["x"={size + 2}]>', context)
        again += hash(attribute) in addresses
        addresses.add(hash(attribute))
        assert sdy.MeshAttr.of(attribute).axis_size("x") == size + 2
        del attribute, context
        gc.collect()
    if not again:
        pytest.skip("no address came up twice")


def test_view_of_an_operation(context: ir.Context) -> None:
    module = ir.Module.parse(MODULE, context)
    mesh, function = (op.operation for op in module.body)
    mesh_op = view(sdy.MeshOp, mesh)
    assert type(mesh_op) is sdy.MeshOp
    assert mesh_op.sym_name.value == "mesh"
    assert sdy.MeshAttr.of(mesh_op.mesh).axis_size("x") == 2
    constraint = view(sdy.ShardingConstraintOp, next(iter(function.regions[0].blocks[0])))
    assert constraint.operation.name == "sdy.sharding_constraint"
    assert constraint.input == function.regions[0].blocks[0].arguments[0]
    assert view(sdy.ShardingConstraintOp, constraint) == constraint
    constraint.sharding = sdy.TensorShardingAttr.fully_open("mesh", 1).to_attr(context)
    assert "<@mesh, [{?}]>" in str(module)


def test_view_of_another_operation(context: ir.Context) -> None:
    module = ir.Module.parse(MODULE, context)
    with pytest.raises(TypeError, match=r"expected sdy\.reshard, got sdy\.mesh"):
        view(sdy.ReshardOp, module.body.operations[0])


def test_builders_take_views(context: ir.Context) -> None:
    module = ir.Module.parse("", context)
    with context, ir.Location.unknown(), ir.InsertionPoint(module.body):
        sdy.MeshOp("mesh", sdy.MeshAttr((sdy.MeshAxisAttr("x", 2),)))
        with pytest.raises(TypeError, match="cannot make an attribute of kind Sdy_Mesh out of 2"):
            sdy.MeshOp("other", 2)
    assert 'sdy.mesh @mesh = <["x"=2]>' in str(module)
    assert module.operation.verify()
