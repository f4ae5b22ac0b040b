// RUN: sdy-opt %s | FileCheck %s --check-prefix=PLAIN
// RUN: sdy-opt %s -mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: sdy-opt %s -mlir-print-local-scope | FileCheck %s --check-prefix=LOCAL
// RUN: sdy-opt %s -mlir-elide-elementsattrs-if-larger=2 | FileCheck %s --check-prefix=ELIDED
// RUN: sdy-opt %s --mlir_elide_elementsattrs_if_larger 3 | FileCheck %s --check-prefix=PLAIN
// RUN: sdy-opt %s -mlir-elide-resource-strings-if-larger=4 | FileCheck %s --check-prefix=RESOURCE
// RUN: sdy-opt %s -mlir-print-skip-regions | FileCheck %s --check-prefix=SKIPPED
// RUN: not sdy-opt %s -mlir-elide-elementsattrs-if-larger=few 2>&1 | FileCheck %s --check-prefix=NUMBER

// PLAIN-DAG: #[[MAP:.*]] = affine_map<(d0) -> (d0 + 1)>
// PLAIN-DAG: dense<[1, 2, 3]>
// PLAIN-DAG: numbers: "0x08000000010000000000000002000000000000000300000000000000"

// GENERIC: "builtin.module"
// GENERIC: "func.func"() <{
// GENERIC: "func.return"(%{{.*}}, %{{.*}})

// LOCAL-NOT: #map
// LOCAL: test.map = affine_map<(d0) -> (d0 + 1)>

// ELIDED: arith.constant dense_resource<__elided__> : tensor<3xi64>
// RESOURCE-NOT: 0x0800
// SKIPPED-NOT: func.func
// NUMBER: for the --mlir-elide-elementsattrs-if-larger option: 'few' value invalid for uint argument!

#map = affine_map<(d0) -> (d0 + 1)>
module attributes {test.map = #map} {
  func.func @f() -> (tensor<3xi64>, tensor<3xi64>) attributes {test.map = #map} {
    %0 = arith.constant dense<[1, 2, 3]> : tensor<3xi64>
    %1 = arith.constant dense_resource<numbers> : tensor<3xi64>
    return %0, %1 : tensor<3xi64>, tensor<3xi64>
  }
}

{-#
  dialect_resources: {
    builtin: {
      numbers: "0x08000000010000000000000002000000000000000300000000000000"
    }
  }
#-}
