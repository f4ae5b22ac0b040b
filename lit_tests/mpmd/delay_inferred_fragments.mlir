// RUN: mpmd-opt %s -split-input-file -mpmd-delay-inferred-fragments | FileCheck %s

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// CHECK-LABEL: func.func public @to_first_user
func.func public @to_first_user(%arg0: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK-NEXT: %[[USER:.*]] = mpmd.fragment<mesh="m", origin=["f"]> (%arg0)
  // CHECK: %[[INFERRED:.*]] = mpmd.fragment<mesh="m", origin=[]> (%arg0)
  // CHECK: %[[FIRST:.*]] = mpmd.fragment<mesh="m", origin=["g"]> (%[[INFERRED]], %[[USER]])
  // CHECK: %[[SECOND:.*]] = mpmd.fragment<mesh="m", origin=["h"]> (%[[INFERRED]])
  // CHECK: return %[[FIRST]], %[[SECOND]]
  %0 = mpmd.fragment<mesh="m", origin=[]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %2 = mpmd.fragment<mesh="m", origin=["g"]> (%0, %1) (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v, !v) -> !v
  %3 = mpmd.fragment<mesh="m", origin=["h"]> (%0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %2, %3 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// CHECK-LABEL: func.func public @return_is_a_user
func.func public @return_is_a_user(%arg0: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK-NEXT: %[[USER:.*]] = mpmd.fragment<mesh="m", origin=["f"]>
  // CHECK: %[[INFERRED:.*]] = mpmd.fragment<mesh="m", origin=[]>
  // CHECK: return %[[INFERRED]], %[[USER]]
  %0 = mpmd.fragment<mesh="m", origin=[]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0, %1 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"w", tensor<8xf32>>

// CHECK-LABEL: func.func public @transfer_is_a_user
func.func public @transfer_is_a_user(%arg0: !v) -> (!w, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>, <"w": <["x"=2]>>>} {
  // CHECK-NEXT: mpmd.fragment<mesh="m", origin=["f"]>
  // CHECK: %[[INFERRED:.*]] = mpmd.fragment<mesh="m", origin=[]>
  // CHECK: mpmd.transfer %[[INFERRED]]
  %0 = mpmd.fragment<mesh="m", origin=[]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %2 = mpmd.transfer %0 : (!v) -> !w
  return %2, %1 : !w, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// CHECK-LABEL: func.func public @chain_moves_together
func.func public @chain_moves_together(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK-NEXT: %[[USER:.*]] = mpmd.fragment<mesh="m", origin=["f"]>
  // CHECK: %[[ONE:.*]] = mpmd.fragment<mesh="m", origin=[]> (%arg0)
  // CHECK: %[[TWO:.*]] = mpmd.fragment<mesh="m", origin=[]> (%[[ONE]])
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]> (%[[TWO]], %[[USER]])
  %0 = mpmd.fragment<mesh="m", origin=[]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %1 = mpmd.fragment<mesh="m", origin=[]> (%0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %3 = mpmd.fragment<mesh="m", origin=["g"]> (%1, %2) (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v, !v) -> !v
  return %3 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// Of two fragments with one consumer, the later one moves first: they swap places.
// CHECK-LABEL: func.func public @one_consumer
func.func public @one_consumer(%arg0: !v, %arg1: !v) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK-NEXT: %[[LATER:.*]] = mpmd.fragment<mesh="m", origin=[]> (%arg1)
  // CHECK: %[[EARLIER:.*]] = mpmd.fragment<mesh="m", origin=[]> (%arg0)
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]> (%[[EARLIER]], %[[LATER]])
  %0 = mpmd.fragment<mesh="m", origin=[]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %1 = mpmd.fragment<mesh="m", origin=[]> (%arg1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %2 = mpmd.fragment<mesh="m", origin=["f"]> (%0, %1) (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v, !v) -> !v
  return %2 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// CHECK-LABEL: func.func public @without_users
func.func public @without_users(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK-NEXT: mpmd.fragment<mesh="m", origin=[]>
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]>
  %0 = mpmd.fragment<mesh="m", origin=[]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %1 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// CHECK-LABEL: func.func public @user_fragments_stay
func.func public @user_fragments_stay(%arg0: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK-NEXT: mpmd.fragment<mesh="m", origin=["f"]>
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]>
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %1 = mpmd.fragment<mesh="m", origin=["g"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0, %1 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// Only public functions with a topology are programs of their own.
// CHECK-LABEL: func.func private @private
func.func private @private(%arg0: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK-NEXT: mpmd.fragment<mesh="m", origin=[]>
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]>
  %0 = mpmd.fragment<mesh="m", origin=[]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0, %1 : !v, !v
}

// CHECK-LABEL: func.func private @declaration
func.func private @declaration(%arg0: !v) attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>}
