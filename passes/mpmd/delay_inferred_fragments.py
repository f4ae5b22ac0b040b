"""`-mpmd-delay-inferred-fragments`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import FunctionPass
from sdykit.core.mpmd.program import (
    FRAGMENT,
    body_of,
    is_entry_point,
    is_inferred,
)
from sdykit.mlir import FuncOp
from sdykit.passes.mpmd._shared.uses import first_user


@dataclass(frozen=True)
class DelayInferredFragmentsPass(FunctionPass):
    """Move each inferred fragment to just before its first user.

    Work that the compiler added then runs only when it is needed, and its results take up
    memory for as short a time as possible. The pass visits the ops in the body of a public
    function with a topology from last to first. The first user is the first in the order at
    that moment, and may be the return; so a chain of inferred fragments moves as a whole. Of
    two fragments with the same first user, the later one moves first, and they swap places.
    A fragment without users stays where it is, and so does a fragment with an origin.

    Before:

    ```mlir
    %0 = mpmd.fragment<mesh="m1", origin=[]> (%arg0) (%a: tensor<8xf32>) {...}
    %1 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {...}
    %2 = mpmd.fragment<mesh="m1", origin=["g"]> (%0, %1) (%a: tensor<8xf32>, ...) {...}
    ```

    After:

    ```mlir
    %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {...}
    %1 = mpmd.fragment<mesh="m1", origin=[]> (%arg0) (%a: tensor<8xf32>) {...}
    %2 = mpmd.fragment<mesh="m1", origin=["g"]> (%1, %0) (%a: tensor<8xf32>, ...) {...}
    ```
    """

    name = "mpmd-delay-inferred-fragments"

    def run(self, func: FuncOp) -> None:
        if not is_entry_point(func.operation):
            return
        for op in reversed(list(body_of(func.operation))):
            fragment = op.operation
            if fragment.name != FRAGMENT or not is_inferred(fragment):
                continue
            user = first_user(fragment)
            if user is not None:
                fragment.move_before(user)
