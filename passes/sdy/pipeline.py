"""The named pipelines of the `sdy` passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import Pipeline
from sdykit.core.options import quoted


@dataclass(frozen=True)
class ImportPipeline(Pipeline):
    """Prepare a module for sharding propagation.

    The input is a module as a frontend lowers it. Afterwards it has the form that propagation
    expects: each mesh is referred to by name, there are no axes of size 1, no constant is shared by
    uses that could be sharded differently, manual shardings are complete, and an op stands for each
    data-flow edge.
    """

    name = "sdy-import-pipeline"

    dedup_functions_fully: bool = False
    """Apply sharding constraints and import sharding groups too.

    Propagation is then expected to run over functions and their calls as they are. Otherwise every
    call is expected to become a `sdy.named_computation` first, and these two passes to run after
    that.
    """

    dump_directory: str = ""
    """Write the module into this directory before propagation adds to it; empty: do not."""

    def passes(self) -> Sequence[str]:
        passes = [
            # First: no other pass needs to work on functions that nothing calls.
            "symbol-dce",
            # All others look up the axes of a mesh by its name.
            "sdy-lift-inlined-meshes",
            # After the meshes: this pass looks for axes of size 1 in `sdy.mesh` ops only.
            "sdy-remove-size-one-axes",
            # Before calls are cloned along with constants, and before the shardings of a
            # call's results are copied to data-flow edges.
            "sdy-propagate-sharding-from-func-to-call",
            # Before edges and constraints: a constant should get the sharding of its one use, and
            # these add shardings and users.
            "sdy-constant-or-scalar-splitter",
            # The splitter clones functions, and may have erased the last call of one.
            "symbol-dce",
            # After axes of size 1 are removed, which may be manual; before edges copy the
            # shardings.
            "sdy-manual-axes-cleanup",
            *_save(self.dump_directory, 0, "before_propagation"),
            "sdy-add-data-flow-edges",
        ]
        if not self.dedup_functions_fully:
            return passes
        return [
            *passes,
            # After the edges: a constraint on a target of an edge is not copied to it, but
            # takes over its uses.
            "sdy-apply-sharding-constraints",
            # Last: no later pass may clone a member of a group.
            "sdy-sharding-group-import",
        ]


_CANONICALIZE = "canonicalize{{enable-patterns={} region-simplify=aggressive top-down=false}}"


@dataclass(frozen=True)
class ExportPipeline(Pipeline):
    """Leave of sharding propagation what a partitioner needs.

    The input is a module after propagation. Afterwards all shardings are closed and divide the inputs
    and outputs of the program evenly; edges, constraints, groups and sharding rules are gone.
    """

    name = "sdy-export-pipeline"

    avoid_export_for_partitioning: bool = False
    """Keep sharding groups and constraints, and insert no reshards."""
    update_non_divisible_input_output_shardings: bool = True
    """Cut shardings of inputs and outputs that do not divide them, or that split an axis."""
    keep_sharding_rules: bool = False
    """Keep the sharding rules of ops."""
    dump_sharding_origins: bool = False
    """Keep what was recorded of where axes come from, with the ops, and remove it elsewhere."""
    dump_propagation_edges: bool = False
    """Keep what was recorded of the steps of propagation, with the ops."""
    dump_directory: str = ""
    """Write the module into this directory after propagation and after reshards; empty: do not."""
    dump_index: int = 0
    """The number of the first of these files."""
    enable_insert_explicit_collectives: bool = False
    """Insert all reshards that the ops need, and replace them by collectives."""
    remove_all_gather_reduce_scatter_for_cmv1: bool = False
    """Remove collectives around dots, for XLA's collective matmul; only with the option above."""

    def __post_init__(self) -> None:
        _check_cmv1(
            self.remove_all_gather_reduce_scatter_for_cmv1,
            self.enable_insert_explicit_collectives,
        )

    def passes(self) -> Sequence[str]:
        sink = (
            f"sink-debug-sharding-origins={_text(self.dump_sharding_origins)} "
            f"sink-debug-propagation-edge-sharding={_text(self.dump_propagation_edges)}"
        )
        passes = [
            # First: constants that propagation needed apart are merged, unless shardings differ.
            "sdy-constant-or-scalar-merger",
            # Before anything reads the shardings of ops with regions.
            f"sdy-sink-data-flow-edges{{{sink}}}",
        ]
        partitions = not self.avoid_export_for_partitioning
        if partitions:
            passes += ["sdy-remove-sharding-groups", "sdy-sharding-constraint-to-reshard"]
        if self.update_non_divisible_input_output_shardings:
            passes += [
                "sdy-update-non-divisible-input-output-shardings",
                # Only open dimensions: before they are closed.
                "sdy-remove-sub-axes-in-input-output-shardings",
            ]
        passes.append("sdy-close-shardings")
        passes += self._save(0, "after_propagation")
        if partitions:
            # After the shardings are closed: reshards have their final form.
            passes += self._reshards()
        if self.dump_sharding_origins or self.dump_propagation_edges:
            passes.append("sdy-remove-propagation-debug-info")
        # Last: inserting reshards reads the rules.
        return passes if self.keep_sharding_rules else [*passes, "sdy-drop-sharding-rules"]

    def _reshards(self) -> list[str]:
        # The patterns put collectives together that are inserted.
        last = _CANONICALIZE.format("sdy-collective")
        if not self.enable_insert_explicit_collectives:
            return [
                "sdy-insert-explicit-reshards",
                last,
                *self._save(1, "after_minimal_partitioner_with_global_shapes"),
            ]
        passes = [
            "sdy-insert-explicit-reshards{enable-full-version=true}",
            *self._save(1, "after_explicit_reshards"),
            # A reshard of a reshard is one.
            _CANONICALIZE.format("sdy-reshard"),
            "sdy-reshard-to-collectives",
            last,
        ]
        if self.remove_all_gather_reduce_scatter_for_cmv1:
            passes.append("sdy-remove-all-gather-reduce-scatter-for-cmv1")
        return [*passes, *self._save(2, "after_partitioner_with_global_shapes")]

    def _save(self, number: int, name: str) -> list[str]:
        return _save(self.dump_directory, self.dump_index + number, name)


@dataclass(frozen=True)
class PropagationPipeline(Pipeline):
    """Import a module, propagate its shardings, and export it."""

    name = "sdy-propagation-pipeline"

    dedup_functions_fully: bool = False
    """Propagate over functions and their calls as they are, instead of over a copy of a function a call."""
    debug_sharding_origins: bool = False
    """Record where each axis of a sharding comes from."""
    debug_propagation_edge_sharding: bool = False
    """Record what each step of propagation did."""
    dump_directory: str = ""
    """Write the module into this directory before, in and after propagation; empty: do not."""
    enable_insert_explicit_collectives: bool = False
    """Insert all reshards that the ops need, and replace them by collectives."""
    remove_all_gather_reduce_scatter_for_cmv1: bool = False
    """Remove collectives around dots, for XLA's collective matmul; only with the option above."""

    def __post_init__(self) -> None:
        _check_cmv1(
            self.remove_all_gather_reduce_scatter_for_cmv1,
            self.enable_insert_explicit_collectives,
        )

    def passes(self) -> Sequence[str]:
        debug = (
            f"debug-sharding-origins={_text(self.debug_sharding_origins)} "
            f"debug-propagation-edge-sharding={_text(self.debug_propagation_edge_sharding)}"
        )
        directory = quoted(self.dump_directory)
        export = (
            f"sdy-export-pipeline{{dump-sharding-origins={_text(self.debug_sharding_origins)} "
            f"dump-propagation-edges={_text(self.debug_propagation_edge_sharding)} "
            f"enable-insert-explicit-collectives={_text(self.enable_insert_explicit_collectives)} "
            "remove-all-gather-reduce-scatter-for-cmv1="
            f"{_text(self.remove_all_gather_reduce_scatter_for_cmv1)} "
            f"dump-directory={directory} dump-index=1}}"
        )
        propagate = (
            f"sdy-user-priority-propagate{{keep-sharding-rules=true {debug} "
            f"module-dump-directory={directory} dump-index=1}}"
        )
        imports = ImportPipeline(dump_directory=self.dump_directory).passes()
        back = ["symbol-dce", "sdy-insert-func-call-reshards", export]
        if self.dedup_functions_fully:
            return [
                *imports,
                f"sdy-apply-sharding-constraints{{{debug}}}",
                "sdy-sharding-group-import",
                "sdy-add-func-data-flow-edges",
                "sdy-pre-order-funcs",
                propagate,
                "sdy-propagate-to-func-results",
                "sdy-sink-func-data-flow-edges",
                "sdy-unflatten-call-graph",
                *back,
            ]
        return [
            *imports,
            "sdy-flatten-call-graph",
            "symbol-dce",
            "sdy-import-func-calls",
            "symbol-dce",
            # After calls became named computations: a constraint may reach into them.
            f"sdy-apply-sharding-constraints{{{debug}}}",
            "sdy-sharding-group-import",
            "sdy-pre-order-funcs",
            propagate,
            "sdy-export-named-computations",
            "sdy-propagate-to-func-results",
            "sdy-unflatten-call-graph",
            *back,
        ]


def _save(directory: str, number: int, name: str) -> list[str]:
    """Return the pass that writes the module into a directory; none if there is no directory."""
    if not directory:
        return []
    options = f"module-dump-directory={quoted(directory)} file-name={name} dump-index={number}"
    return [f"sdy-save-module{{{options}}}"]


def _check_cmv1(removes: bool, has_collectives: bool) -> None:
    if removes and not has_collectives:
        raise ValueError(
            "option 'remove-all-gather-reduce-scatter-for-cmv1' expects"
            " enable-insert-explicit-collectives=true: there are none to remove without"
        )


def _text(flag: bool) -> str:
    return str(flag).lower()
