#map = affine_map<(d0) -> (d0 + 1)>
module @top {
  func.func @twice(%a: i32) -> i32 {
    %0 = arith.addi %a, %a {test.map = #map} : i32
    %1 = arith.addi %a, %a {test.map = #map} : i32
    return %1 : i32
  }
  func.func @none() {
    return
  }
}
