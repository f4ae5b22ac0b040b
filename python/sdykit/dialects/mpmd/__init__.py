"""The `mpmd` dialect: `from sdykit.dialects import mpmd`.

Op classes build operations and, through `sdykit.dialects.views.view`, give typed access to
existing ones. Attributes and types are read into immutable views:
`mpmd.MeshTensorType.of(value.type).mesh_name`.
"""

from collections.abc import Iterable

from sdykit.dialects.mpmd.attrs_gen import *
from sdykit.dialects.mpmd.attrs_gen import UserOriginAttr
from sdykit.dialects.mpmd.enums_gen import ReductionType
from sdykit.dialects.mpmd.ops_gen import *
from sdykit.dialects.mpmd.types_gen import *
from sdykit.dialects.ods_common import register_attribute_builder
from sdykit.mlir import ir


@register_attribute_builder("Mpmd_UserOrigins")
def _user_origins(
    origins: Iterable[UserOriginAttr | ir.Attribute], context: ir.Context | None
) -> ir.ArrayAttr:
    """Let builders take a list of views: `mpmd.FragmentOp(..., origin=[UserOriginAttr("f")])`."""
    attributes = [
        origin.to_attr(context) if isinstance(origin, UserOriginAttr) else origin
        for origin in origins
    ]
    return ir.ArrayAttr.get(attributes, context)
