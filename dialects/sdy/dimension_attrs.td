//===- dimension_attrs.td - Shardings of single dimensions ---------------===//

#ifndef SDYKIT_SDY_DIMENSION_ATTRS
#define SDYKIT_SDY_DIMENSION_ATTRS

include "sdy/mesh_attrs.td"

def Sdy_DimensionSharding : Sdy_Attr<"DimensionSharding", "dimension_sharding"> {
  let summary = "How one dimension of a tensor is split.";
  let description = [{
    The axes that split the dimension, from major to minor; `?` if propagation may add axes
    (the dimension is *open*; otherwise it is *closed*); and the priority, if there is one.

    ```
    {"x", "y"}       split by x, then y; closed
    {"x", ?}p1       split by x; open; of priority 1
    {?}              whatever propagation finds
    {}               replicated, and stays replicated
    ```

    Propagation runs once for each priority, starting with 0; a dimension takes part from its
    own priority on. A dimension without priority has priority 0.

    **Constraints:**

    - `axes` satisfies the constraints of `#sdy.axis_ref_list`.
    - A closed dimension without axes has no priority.
    - The priority is not negative.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"AxisRefAttr", "Axes that split the dimension, major to minor.">
      :$axes,
    AttrParameter<"bool", "Whether propagation must not add axes.">:$is_closed,
    OptionalParameter<"std::optional<int64_t>", "Priority from which propagation uses the sharding; 0 is the first.">
      :$priority);
  let assemblyFormat = [{
    `{` custom<DimensionAxes>($axes, $is_closed) `}` `` custom<Priority>($priority)
  }];
}

#endif // SDYKIT_SDY_DIMENSION_ATTRS
