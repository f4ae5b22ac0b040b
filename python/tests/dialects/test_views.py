"""Views of existing attributes, types and operations: `of`, its cache, and `view`."""

from __future__ import annotations

import gc

import pytest

from sdykit.dialects import base, mpmd, sdy
from sdykit.dialects.views import view
from sdykit.mlir import ir, make_context

TYPE = '!mpmd.mesh_tensor<"m1", tensor<8xf32>, sharding=<@mesh, [{"x"}]>>'
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


def test_of_reads_a_type_once(context: ir.Context) -> None:
    first = mpmd.MeshTensorType.of(ir.Type.parse(TYPE, context))
    assert mpmd.MeshTensorType.of(ir.Type.parse(TYPE, context)) is first
    assert first.sharding is not None
    assert first.sharding.mesh_or_ref == "mesh"


@pytest.mark.parametrize("text", ["i32", "tensor<8xf32>", "!stablehlo.token", "tuple<i1>"])
def test_a_view_of_another_type_is_an_error(text: str, context: ir.Context) -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match=r"expected !mpmd\.mesh_tensor, found"):
            mpmd.MeshTensorType.of(ir.Type.parse(text, context))


def test_attributes_and_types_are_told_apart(context: ir.Context) -> None:
    mlir_type = ir.Type.parse(TYPE, context)
    with pytest.raises(TypeError, match=r"expected #sdy\.mesh, found"):
        sdy.MeshAttr.of(mlir_type)  # pyright: ignore[reportArgumentType]
    attribute = ir.TypeAttr.get(mlir_type, context)
    with pytest.raises(TypeError, match=r"expected !mpmd\.mesh_tensor, found TypeAttr"):
        mpmd.MeshTensorType.of(attribute)  # pyright: ignore[reportArgumentType]


def test_of_takes_the_kind_from_the_attribute(context: ir.Context) -> None:
    sharding = ir.Attribute.parse(TEXT, context)
    mesh = ir.Attribute.parse("#sdy.mesh<[]>", context)
    for _ in range(2):  # read, then cached
        with pytest.raises(TypeError) as caught:
            sdy.MeshAttr.of(sharding)
        assert str(caught.value) == f"expected #sdy.mesh, found {TEXT}"
        assert sdy.TensorShardingAttr.of(sharding).mesh_or_ref == "mesh"
        with pytest.raises(TypeError, match=r"expected #sdy.sharding, found #sdy.mesh<\[\]>"):
            sdy.TensorShardingAttr.of(mesh)
        assert sdy.MeshAttr.of(mesh).is_empty


@pytest.mark.parametrize("text", ["42 : i32", '"#sdy.mesh<[]>"', "@mesh", "[#sdy.mesh<[]>]"])
def test_a_view_of_another_attribute_is_an_error(text: str, context: ir.Context) -> None:
    with pytest.raises(TypeError, match=r"expected #sdy\.mesh, found"):
        sdy.MeshAttr.of(ir.Attribute.parse(text, context))


@pytest.mark.parametrize("value", [None, "#sdy.mesh<[]>", sdy.MeshAttr()])
def test_of_rejects_values_that_are_not_attributes(value: object) -> None:
    with pytest.raises(TypeError, match=r"expected #sdy\.mesh, found"):
        sdy.MeshAttr.of(value)  # pyright: ignore[reportArgumentType]


def test_kinds_with_a_common_prefix_are_told_apart(context: ir.Context) -> None:
    axes = ir.Attribute.parse('#sdy<axis_ref_list{"x"}>', context)
    with pytest.raises(TypeError, match=r"expected #sdy\.axis_ref, found"):
        sdy.AxisRefAttr.of(axes)
    axis = ir.Attribute.parse('#sdy<mesh_axis"x"=2>', context)
    with pytest.raises(TypeError, match=r"expected #sdy\.mesh, found"):
        sdy.MeshAttr.of(axis)


def test_the_cache_keeps_no_context_alive() -> None:
    context = make_context()
    key = id(context)
    view_of_attribute = sdy.TensorShardingAttr.of(ir.Attribute.parse(TEXT, context))
    assert view_of_attribute in base._views_of_context[key].values()
    del context
    gc.collect()
    assert key not in base._views_of_context
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


def test_an_operation_has_a_typed_view(context: ir.Context) -> None:
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


def test_a_view_of_another_operation_is_an_error(context: ir.Context) -> None:
    module = ir.Module.parse(MODULE, context)
    with pytest.raises(TypeError, match=r"expected sdy\.reshard, found sdy\.mesh"):
        view(sdy.ReshardOp, module.body.operations[0])


def test_a_fragment_has_a_typed_view(context: ir.Context) -> None:
    text = f"""
      func.func @f(%a: {TYPE}) attributes {{topology = #mpmd.topology<<"m1" : <["x"=2]>>>}} {{
        %0 = mpmd.fragment<mesh="m1", origin=["f", "g"(1)], stage=2> (%a) (%b: tensor<8xf32>) {{
          mpmd.return %b : tensor<8xf32>
        }} : ({TYPE}) -> {TYPE}
        return
      }}"""
    module = ir.Module.parse(text, context)
    function = module.body.operations[0]
    fragment = view(mpmd.FragmentOp, function.regions[0].blocks[0].operations[0])
    assert fragment.mesh_name.value == "m1"
    origins = [mpmd.UserOriginAttr.of(origin) for origin in fragment.origin]
    assert origins == [mpmd.UserOriginAttr("f"), mpmd.UserOriginAttr("g", 1)]
    assert fragment.stage_id is not None
    assert fragment.stage_id.value == 2
    assert fragment.in_shardings is None
    mesh_tensor = mpmd.MeshTensorType.of(fragment.results_[0].type)
    topology = mpmd.TopologyAttr.of(function.attributes["topology"])
    assert mesh_tensor.local_type(topology.mesh(mesh_tensor.mesh_name)) == "tensor<4xf32>"
    terminator = view(mpmd.ReturnOp, fragment.region.blocks[0].operations[0])
    assert list(terminator.results_) == list(fragment.region.blocks[0].arguments)


def test_builders_take_lists_of_views(context: ir.Context) -> None:
    module = ir.Module.parse(
        'func.func @f() attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>>} { return }',
        context,
    )
    block = module.body.operations[0].regions[0].blocks[0]
    origins = [mpmd.UserOriginAttr("f"), mpmd.UserOriginAttr("g", 1)]
    with context, ir.Location.unknown(), ir.InsertionPoint.at_block_begin(block):
        attributes = [origins[0].to_attr(), origins[1]]
        for origin in (origins, attributes, ir.ArrayAttr.get([o.to_attr() for o in origins])):
            fragment = mpmd.FragmentOp([], [], origin, "m1")
            with ir.InsertionPoint(fragment.region.blocks.append()):
                mpmd.ReturnOp([])
    assert str(module).count('mpmd.fragment<mesh="m1", origin=["f", "g"(1)]> () ()') == 3
    assert module.operation.verify()


def test_builders_take_views(context: ir.Context) -> None:
    module = ir.Module.parse("", context)
    with context, ir.Location.unknown(), ir.InsertionPoint(module.body):
        sdy.MeshOp("mesh", sdy.MeshAttr((sdy.MeshAxisAttr("x", 2),)))
        with pytest.raises(TypeError, match="cannot make an attribute of kind Sdy_Mesh out of 2"):
            sdy.MeshOp("other", 2)
    assert 'sdy.mesh @mesh = <["x"=2]>' in str(module)
    assert module.operation.verify()
