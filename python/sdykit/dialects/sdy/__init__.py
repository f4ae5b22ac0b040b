"""The `sdy` dialect: `from sdykit.dialects import sdy`.

Op classes build operations (`sdy.MeshOp("mesh", sdy.MeshAttr(...))`) and, through
`sdykit.dialects.views.view`, give typed access to existing ones. Attributes are read into
immutable views: `sdy.TensorShardingAttr.of(attribute).dim_shardings[0].axes`.
"""

from sdykit.dialects.sdy.dimension_attrs_gen import *
from sdykit.dialects.sdy.enums_gen import EdgeNodeType, PropagationDirection
from sdykit.dialects.sdy.mesh_attrs_gen import *
from sdykit.dialects.sdy.ops_gen import *
from sdykit.dialects.sdy.propagation_attrs_gen import *
from sdykit.dialects.sdy.rule_attrs_gen import *
from sdykit.dialects.sdy.sharding_attrs_gen import *
