//===- rule_attrs.td - Sharding rules of operations ----------------------===//

#ifndef SDYKIT_SDY_RULE_ATTRS
#define SDYKIT_SDY_RULE_ATTRS

include "sdy/mesh_attrs.td"

def Sdy_DimMapping : Sdy_Attr<"DimMapping", "dim_mapping"> {
  let summary = "The factors that a dimension is made of, from major to minor.";
  let description = [{
    A factor is written as a symbol: `i` is factor 0, `j` factor 1, ..., `z` factor 17,
    then come `z_1`, `z_2`, ... A dimension made of factors 0 and 1 is written `ij`.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t", "The factors, by index.">:$factor_indices);
  let assemblyFormat = "`` custom<FactorSymbols>($factor_indices)";
}

def Sdy_TensorMapping : Sdy_Attr<"TensorMapping", "tensor_mapping"> {
  let summary = "The factors of each dimension of a tensor.";
  let description = [{
    Written `[i, jk]`: dimension 0 is factor `i`; dimension 1 is made of `j` and `k`.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"DimMappingAttr", "One for each dimension.">:$dim_mappings);
  let assemblyFormat = "`[` (`]`) : ($dim_mappings^ `]`)?";
}

def Sdy_OpShardingRule : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let summary = "How the dimensions of operands and results correspond.";
  let description = [{
    A rule relates dimensions by *factors*. Dimensions that have the same factor correspond to
    each other: a sharding of one is a sharding of the other. A dimension that a reshape
    splits or merges has more than one factor. After the mappings come the sizes of the
    factors, and then the factors that need special treatment.

    A matrix product:

    ```mlir
    #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}>
    ```

    A reshape from `8x16` to `128`:

    ```mlir
    #sdy.op_sharding_rule<([i, j])->([ij]) {i=8, j=16}>
    ```

    A factor that is in none of the lists is passed through: each device works on its
    part without communication. `, custom` at the end marks a rule that a user wrote for a
    custom call.

    The sizes are in the order of the factors, `{i=.., j=.., k=..}`, without gaps.

    **Constraints:**

    - There are as many mappings as operands and results, and as many dimensions in each
      as the tensor has.
    - A factor is used at most once in one tensor. A factor has a size if and only if a
      tensor uses it.
    - A dimension made of several factors has none of size 1.
    - The lists at the end are sorted and name no factor twice; a factor is in at most one
      of `reduction`, `need_replication` and `permutation`.
    - No result uses a reduction factor.
  }];
  // The C++ parser does not accept an operation without operands or without results, nor
  // factor sizes of more than 32 bits, though such rules can be built and are printed.
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t", "Size of each factor.">:$factor_sizes,
    OptionalArrayRefParameter<"TensorMappingAttr", "Factors of each operand.">
      :$operand_mappings,
    OptionalArrayRefParameter<"TensorMappingAttr", "Factors of each result.">
      :$result_mappings,
    OptionalArrayRefParameter<"int64_t",
      "Factors that the operation sums over: sharding them takes an all-reduce.">
      :$reduction_factors,
    OptionalArrayRefParameter<"int64_t",
      "Factors that must be whole on each device when the operation runs.">
      :$need_replication_factors,
    OptionalArrayRefParameter<"int64_t",
      "Factors along which devices must exchange data if they are sharded.">
      :$permutation_factors,
    OptionalArrayRefParameter<"int64_t",
      "Factors along which no sharding is propagated.">
      :$blocked_propagation_factors,
    DefaultValuedParameter<"bool", "false", "Whether a user wrote the rule.">
      :$is_custom_rule);
  let assemblyFormat = [{
    `<` `(` (`)`) : ($operand_mappings^ `)`)? `` `->` `` `(` (`)`) : ($result_mappings^ `)`)?
    (`{` custom<FactorSizes>($factor_sizes)^ `}`)?
    (`reduction` `` `=` `` custom<FactorSet>($reduction_factors)^)?
    (`need_replication` `` `=` `` custom<FactorSet>($need_replication_factors)^)?
    (`permutation` `` `=` `` custom<FactorSet>($permutation_factors)^)?
    (`blocked_propagation` `` `=` `` custom<FactorSet>($blocked_propagation_factors)^)?
    `` custom<IsCustomRule>($is_custom_rule) `>`
  }];
}

#endif // SDYKIT_SDY_RULE_ATTRS
