"""The errors of our parser say what is wrong in a text, and where."""

from __future__ import annotations

import pytest

from sdykit.dialects import mpmd, sdy
from sdykit.dialects.base import View
from sdykit.errors import AttributeSyntaxError, SdykitError


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (
            sdy.MeshAttr,
            '#sdy.mesh<["x"=2,]>',
            'bad #sdy.mesh: column 18: expected a string, found `]`, in: #sdy.mesh<["x"=2,]>',
        ),
        (sdy.MeshAttr, '#sdy.mesh<["x"=two]>', "column 16: expected an integer, found `two`"),
        (sdy.MeshAttr, '#sdy.mesh<["x"=2.5]>', "column 16: expected an integer, found `2.5`"),
        (
            sdy.MeshAttr,
            '#sdy.mesh<["x"=9223372036854775808]>',
            "column 16: expected an integer of 64 bits",
        ),
        (sdy.MeshAttr, f'#sdy.mesh<["x"={"9" * 5000}]>', "expected an integer of 64 bits"),
        (sdy.MeshAttr, '#sdy.mesh<["x"=\u0663]>', "expected an integer, found `\u0663`"),
        (sdy.MeshAttr, "#sdy.mesh<[]", "column 13: expected `>`, found the end of the text"),
        (sdy.MeshAttr, "#sdy.mesh<[]>>", "column 14: expected the end of the text, found `>`"),
        (sdy.MeshAttr, "", "column 1: expected `#sdy.mesh`, found the end of the text"),
        (sdy.MeshAttr, "#sdy.mesh <[]>", "column 1: expected `#sdy.mesh<`, found `#sdy.mesh`"),
        (sdy.MeshAttr, "#sdy.sharding<@m, []>", "column 1: expected `#sdy.mesh`, found `#sdy.sh"),
        (sdy.MeshAttr, '#sdy<mesh_axis"x"=2>', "expected `#sdy.mesh`"),
        (
            sdy.MeshAttr,
            '#sdy.mesh<[// axes\n  "x"=2 "y"=3]>',
            'bad #sdy.mesh: line 2, column 9: expected `]`, found `"y"`',
        ),
        (sdy.MeshAttr, '#sdy.mesh<["x\\q"=2]>', 'column 12: expected a string, found `"`'),
        (sdy.AxisRefAttr, '#sdy<axis_ref_list{"x"}>', "expected `#sdy.axis_ref`"),
        (
            sdy.TensorShardingAttr,
            "#sdy.sharding<mesh, []>",
            "column 19: expected `<`, found `,`",
        ),
        (
            sdy.TensorShardingAttr,
            '#sdy.sharding<"mesh", []>',
            'column 15: expected `@` and the name of a mesh, or `mesh<`, found `"mesh"`',
        ),
        (
            sdy.TensorShardingAttr,
            "#sdy.sharding<@m, [{}p01]>",
            "column 22: expected a priority `p<number>` without leading zeros, found `p01`",
        ),
        (sdy.TensorShardingAttr, f"#sdy.sharding<@m, [{{}}p{2**63}]>", "expected a priority"),
        (sdy.TensorShardingAttr, f"#sdy.sharding<@m, [{{}}p{'9' * 5000}]>", "expected a priority"),
        (sdy.TensorMappingAttr, f"#sdy<tensor_mapping[z_{'9' * 5000}]>", "expected factors"),
        (
            sdy.TensorShardingAttr,
            "#sdy.sharding<@m, [], foo={}>",
            "column 23: expected `replicated` or `unreduced`, found `foo`",
        ),
        (
            sdy.TensorShardingAttr,
            '#sdy.sharding<@m, [], replicated={"x"}, replicated={"y"}>',
            "column 41: expected `unreduced`, found `replicated`",
        ),
        (
            sdy.TensorShardingAttr,
            "#sdy.sharding<@m, [], replicated={}>",
            "column 35: expected a string, found `}`",
        ),
        (
            sdy.OpShardingRuleAttr,
            "#sdy.op_sharding_rule<([a])->([i]) {i=2}>",
            "column 25: expected factors out of `i` ... `z`, `z_1`, `z_2`, ..., found `a`",
        ),
        (
            sdy.OpShardingRuleAttr,
            "#sdy.op_sharding_rule<([i, j])->([i]) {j=2}>",
            "column 40: expected `i`, found `j`",
        ),
        (
            sdy.EdgeValueRefAttr,
            "#sdy<edge_value_ref value-0>",
            "column 21: expected `operand` or `result`, found `value`",
        ),
        (mpmd.TopologyAttr, "#mpmd.topology<>", "column 16: expected `<`, found `>`"),
        (
            mpmd.NamedMeshAttr,
            '#mpmd.named_mesh<"m" = <[]>>',
            'bad #mpmd.named_mesh: column 22: expected `:`, found `=`, in: #mpmd.named_mesh<"m" =',
        ),
        (mpmd.UserOriginAttr, "#mpmd.user_origin<f>", "column 19: expected a string, found `f`"),
        (mpmd.UserOriginAttr, '#mpmd.user_origin<"f"()>', "column 23: expected an integer"),
        (mpmd.OriginAttr, '#mpmd.origin<"f">', "column 1: expected a string, found `<`"),
        (
            mpmd.MeshWithOriginsAttr,
            '#mpmd<mesh_with_origins"m"[]>',
            "column 28: expected a string, found `]`",
        ),
        (
            mpmd.MeshesWithOriginsAttr,
            '#mpmd.meshes_with_origins<"m",>',
            "column 31: expected a str",
        ),
        (
            mpmd.ReductionAttr,
            "#mpmd.reduction<xor>",
            "column 17: expected `none` or `add` or `max` or `min` or `mul` or `or` or `and`",
        ),
        (
            mpmd.MeshTensorType,
            '!mpmd.mesh_tensor<"m", tensor<*xf32>>',
            "bad !mpmd.mesh_tensor: column 24: expected a ranked tensor type, found `tensor`",
        ),
        (mpmd.MeshTensorType, '!mpmd.mesh_tensor<"m", f32>', "expected a ranked tensor type"),
        (mpmd.MeshTensorType, '!mpmd.mesh_tensor<"m", tensor<>>', "expected an attribute or type"),
        (
            mpmd.MeshTensorType,
            '!mpmd.mesh_tensor<"m", tensor<f32>, >',
            "column 37: expected `sharding` or `memory_kind`, found `>`",
        ),
        (
            mpmd.MeshTensorType,
            '!mpmd.mesh_tensor<"m", tensor<f32>, memory_kind="device", sharding=<@m, []>>',
            "column 57: expected `>`, found `,`",
        ),
        (
            mpmd.MeshTensorType,
            '!mpmd.mesh_tensor<"m", tensor<f32>, sharding=<@m, []>, foo="x">',
            "column 56: expected `memory_kind`, found `foo`",
        ),
        (
            mpmd.MeshTensorType,
            '!mpmd.mesh_tensor<"m", tensor<f32>, memory_kind=device>',
            "column 49: expected a string, found `device`",
        ),
    ],
)
def test_errors_name_place_expectation_and_finding(
    kind: type[View], text: str, message: str
) -> None:
    with pytest.raises(AttributeSyntaxError) as caught:
        kind.parse(text)
    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, SdykitError)
