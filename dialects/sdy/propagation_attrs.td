//===- propagation_attrs.td - Records of how a sharding came about -------===//
//
// Propagation writes these on request, for a user who wants to know the origin of an
// axis in a sharding.
//
//===----------------------------------------------------------------------===//

#ifndef SDYKIT_SDY_PROPAGATION_ATTRS
#define SDYKIT_SDY_PROPAGATION_ATTRS

include "sdy/enums.td"
include "sdy/mesh_attrs.td"

class Sdy_EnumParameter<EnumInfo enumInfo, string desc> : EnumParameter<enumInfo> {
  let summary = desc;
}

def Sdy_EdgeValueRef : Sdy_Attr<"EdgeValueRef", "edge_value_ref"> {
  let summary = "An operand or a result of an operation, by number.";
  let description = [{
    Written `operand-0` or `result-1`.
  }];
  let parameters = (ins
    Sdy_EnumParameter<Sdy_EdgeNodeType, "Whether it is an operand or a result.">:$type,
    AttrParameter<"int64_t", "Number of the operand or result.">:$index);
  let assemblyFormat = "`` $type `` `-` `` $index";
}

def Sdy_AxisToPropagationDetails
    : Sdy_Attr<"AxisToPropagationDetails", "axis_to_propagation_details"> {
  let summary = "The source and the targets of an axis propagated through an operation.";
  let description = [{
    Written `{"x" = operand-0 -> [operand-1, result-0]}`.
  }];
  let parameters = (ins
    AttrParameter<"::mlir::sdy::AxisRefAttr", "The axis.">:$axis_name,
    AttrParameter<"::mlir::sdy::EdgeValueRefAttr", "The value that had the axis.">:$source,
    ArrayRefParameter<"EdgeValueRefAttr", "The values that got it.">:$targets);
  let assemblyFormat = "`{` $axis_name `=` $source `->` `[` $targets `]` `}`";
}

def Sdy_PropagationOneStep : Sdy_Attr<"PropagationOneStep", "propagation_one_step"> {
  let summary = "What one step of propagation did at an operation.";
  let description = [{
    Written `{step-2 = [{"x" = operand-0 -> [result-0]} ]}`.
  }];
  let parameters = (ins
    AttrParameter<"int64_t", "Number of the step, counted over the whole module.">:$step_index,
    ArrayRefParameter<"AxisToPropagationDetailsAttr", "The axes that were propagated.">
      :$axis_entries);
  let assemblyFormat = [{
    `{` `step` `` `-` `` $step_index `=` `[` $axis_entries `]` `}`
  }];
}

def Sdy_PropagationEdges : Sdy_Attr<"PropagationEdges", "propagation_edges"> {
  let summary = "All steps of propagation at an operation.";
  let description = [{
    ```mlir
    #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]} ]},
                            {step-4 = [{"y" = result-0 -> [operand-0]} ]} ]>
    ```

    **Constraints:**

    - Step numbers are not negative, and no two are equal.
    - No target is the source, or is named twice.
  }];
  let parameters = (ins
    ArrayRefParameter<"PropagationOneStepAttr", "The steps.">:$value);
  let assemblyFormat = "`<` `[` $value `]` `>`";
  let genVerifyDecl = 1;
}

#endif // SDYKIT_SDY_PROPAGATION_ATTRS
