"""The `sdy` dialect: `from sdykit.dialects import sdy`.

Op classes build operations (`sdy.MeshOp("mesh", sdy.MeshAttr(...))`) and, through
`sdykit.dialects.views.view`, give typed access to existing ones. Attributes are read into
immutable views: `sdy.TensorShardingAttr.of(attribute).dim_shardings[0].axes`.
"""

from sdykit.dialects._sdy_attrs_gen import *
from sdykit.dialects._sdy_enums_gen import EdgeNodeType, PropagationDirection
from sdykit.dialects._sdy_ops_gen import *
