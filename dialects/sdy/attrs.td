//===- attrs.td - Attributes of the `sdy` dialect ------------------------===//

#ifndef SDYKIT_SDY_ATTRS
#define SDYKIT_SDY_ATTRS

include "sdy/dimension_attrs.td"
include "sdy/mesh_attrs.td"
include "sdy/propagation_attrs.td"
include "sdy/rule_attrs.td"
include "sdy/sharding_attrs.td"

#endif // SDYKIT_SDY_ATTRS
