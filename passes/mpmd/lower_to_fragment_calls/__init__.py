"""`-mpmd-lower-to-fragment-calls`."""

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
from sdykit.passes.mpmd.lower_to_fragment_calls.groups import Group, grouped
from sdykit.passes.mpmd.lower_to_fragment_calls.log import programs_log
from sdykit.passes.mpmd.lower_to_fragment_calls.manual_shardings import ManualShardings
from sdykit.passes.mpmd.lower_to_fragment_calls.program_names import is_forward, program_names
from sdykit.passes.mpmd.lower_to_fragment_calls.symbols import module_name


@dataclass(frozen=True)
class LowerToFragmentCallsPass(ModulePass):
    """Replace each fragment by a call of a function, shared by fragments that are alike.

    Alike are fragments of one module whose bodies are equivalent (locations and names of
    values do not matter, the order of arguments and results does), on the same mesh, with
    the same `arg_attrs` and `res_attrs`. Absent `arg_attrs` are not the same as empty ones.
    The types outside, origin, stage and reserved memory do not matter.

    The function gets the body, the location and the mesh of the first of the fragments. It
    is public, and is appended to the module. `arg_attrs` and `res_attrs` go to its arguments
    and results, along with the shardings in the types of the first fragment. Of the memory
    to be reserved it gets the maximum over all fragments (`xla_tpu_user_reserved_hbm_bytes`
    and `reserved_hbm_bytes`, each for itself). The calls keep mesh, origin and `remat`.

    Its name tells the origins of the first fragment, in order, joined by dots. Counters at
    their ends that follow each other are joined to a range, and a transpose count stands in
    parentheses: `f_1:3.g(1)`. Without origins the name is `inferred`. If the name is taken,
    a number is appended: `f_1`.

    Shardings inside a `sdy.manual_computation` whose mesh is that of the fragment get the
    fragment's name for it. A `sdy.mesh` of that name is made at the start of the module if
    there is none; if the name means something else, they stay as they are.

    Fails if a fragment has tokens or stands in a loop, where there can be no call.

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
    """Print to stderr which functions each mesh of `main` runs, and where they come from."""

    naming: Literal["origins", "program"] = "origins"
    """Names of functions: the origins, or `p<id>_<stage or origin>_<phases>_<calls>.<module>`
    as in jaxlib 0.10.2."""

    manual_shardings: Literal["rename", "keep"] = "rename"
    """Let shardings inside manual computations name the mesh as the fragment does, or keep them,
    as jaxlib 0.10.2 does; they are renamed anyway if functions are shared between meshes."""

    reserved_bytes: Literal["both", "reserved_hbm_bytes"] = "both"
    """Which attributes to keep if both reserve memory: both, or `reserved_hbm_bytes` alone, as in
    jaxlib 0.10.2."""

    def run(self, module: ModuleOp) -> None:
        fragments = fragments_of(module)
        manual = ManualShardings(module)
        groups = grouped(fragments, manual, across_meshes=self.group_across_meshes)
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
        """Give the names of the functions, none of which another symbol has."""
        if self.naming == "program":
            names = program_names(groups, module_name(module), forward=forward)
        else:
            names = [origins_name(group[0].origins) for group in groups]
        return [group[0].symbols.new(name) for group, name in zip(groups, names, strict=True)]
