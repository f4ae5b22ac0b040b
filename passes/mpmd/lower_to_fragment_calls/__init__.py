"""`-mpmd-lower-to-fragment-calls`.

`fragments` reads the fragments, `groups` finds those that share a function, and `functions` makes
it and the calls, with the names of `symbols` or `program_names` and the shardings of
`manual_shardings`. `log` is the list that an option prints.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sdykit.core import ModulePass
from sdykit.core.mpmd.origins import origins_name
from sdykit.mlir import ModuleOp
from sdykit.passes.mpmd.lower_to_fragment_calls.fragments import fragments_of
from sdykit.passes.mpmd.lower_to_fragment_calls.functions import SharedAttributes, lower
from sdykit.passes.mpmd.lower_to_fragment_calls.groups import Group, group_fragments
from sdykit.passes.mpmd.lower_to_fragment_calls.log import programs_log
from sdykit.passes.mpmd.lower_to_fragment_calls.manual_shardings import ManualShardings
from sdykit.passes.mpmd.lower_to_fragment_calls.program_names import is_forward, program_names
from sdykit.passes.mpmd.lower_to_fragment_calls.symbols import module_name


@dataclass(frozen=True)
class LowerToFragmentCallsPass(ModulePass):
    """Replace each fragment by a call of a function, shared by equivalent fragments.

    Fragments of one module share a function if their bodies are equivalent (locations and
    names of values do not matter, the order of arguments and results does), they run on the
    same mesh, and their `arg_attrs` and `res_attrs` are the same. Absent `arg_attrs` differ
    from empty ones. Operand and result types, origin, stage and reserved memory do not matter.

    The function takes the body, the location and the mesh of the first of its fragments. It
    is public, and is appended to the module. `arg_attrs` and `res_attrs` become attributes of
    its arguments and results, together with the shardings in the types of the first fragment.
    It reserves the maximum memory of all its fragments (`xla_tpu_user_reserved_hbm_bytes` and
    `reserved_hbm_bytes`, each for itself). The calls keep mesh, origin and `remat`.

    The function is named after the origins of the first fragment, in order, joined by dots.
    Consecutive counters at the ends of the origins are joined to a range, and a transpose
    count is written in parentheses: `f_1:3.g(1)`. Without origins the name is `inferred`. If
    the name is taken, a number is appended: `f_1`.

    Shardings inside a `sdy.manual_computation` that name the mesh of the fragment by another
    symbol are renamed to the fragment's name. A `sdy.mesh` of that name is added at the start
    of the module if there is none; if the name is another symbol, the shardings stay.

    Fails if a fragment has tokens or is inside a loop, where there can be no call.

    Before:

    ```mlir
    func.func @main(%arg0: !v) -> !v attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>>} {
      %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
        %2 = stablehlo.sine %a : tensor<8xf32>
        mpmd.return %2 : tensor<8xf32>
      } : (!v) -> !v
      %1 = mpmd.fragment<mesh="m", origin=["g"]> (%0) (%b: tensor<8xf32>) {
        %2 = stablehlo.sine %b : tensor<8xf32>
        mpmd.return %2 : tensor<8xf32>
      } : (!v) -> !v
      return %1 : !v
    }
    ```

    After:

    ```mlir
    func.func @main(%arg0: !v) -> !v attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>>} {
      %0 = mpmd.fragment_call<mesh="m", origin=["f"]> @f(%arg0) : (!v) -> !v
      %1 = mpmd.fragment_call<mesh="m", origin=["g"]> @f(%0) : (!v) -> !v
      return %1 : !v
    }
    func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
        attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
      %0 = stablehlo.sine %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    """

    name = "mpmd-lower-to-fragment-calls"

    group_across_meshes: bool = False
    """Share functions between meshes of the same shape; their devices may differ in kind."""

    verbose_logging: bool = False
    """Print to stderr which functions each mesh of `main` runs, with their origins."""

    naming: Literal["origins", "program"] = "origins"
    """Names of functions: the origins, or `p<id>_<stage or origin>_<phases>_<calls>.<module>`
    as in jaxlib 0.10.2."""

    manual_shardings: Literal["rename", "keep"] = "rename"
    """Rename meshes in the shardings inside manual computations to the fragment's name, or keep
    them, as jaxlib 0.10.2 does. With `group-across-meshes` they are always renamed."""

    reserved_bytes: Literal["both", "reserved_hbm_bytes"] = "both"
    """Which attributes to keep if both reserve memory: both, or `reserved_hbm_bytes` alone, as in
    jaxlib 0.10.2."""

    def run(self, module: ModuleOp) -> None:
        fragments = fragments_of(module)
        manual = ManualShardings(module)
        groups = group_fragments(fragments, manual, across_meshes=self.group_across_meshes)
        forward = is_forward(fragments)
        names = self._names(module, groups, forward)
        log: list[str] = []
        if self.verbose_logging:
            pairs = zip(groups, names, strict=True)
            function = {fragment: name for group, name in pairs for fragment in group}
            calls = [(fragment, function[fragment]) for fragment in fragments]
            log = programs_log(module, module_name(module), calls, forward=forward)
        shared = SharedAttributes()
        for group, name in zip(groups, names, strict=True):
            if self.group_across_meshes or self.manual_shardings == "rename":
                manual.rename(group[0])
            lower(group, name, shared, both_reserved=self.reserved_bytes == "both")
        for line in log:
            print(line, file=sys.stderr)

    def _names(self, module: ModuleOp, groups: Sequence[Group], forward: bool) -> list[str]:
        """Return the names of the functions; no other symbol has one of them."""
        if self.naming == "program":
            names = program_names(groups, module_name(module), forward=forward)
        else:
            names = [origins_name(group[0].origins) for group in groups]
        return [group[0].symbols.new(name) for group, name in zip(groups, names, strict=True)]
