"""`-sparsecore-sanitize`.

`places` has where buffers are compared with what they were, `checksums` how.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sdykit.core import ModulePass
from sdykit.core.sparsecore.names import AXES
from sdykit.core.sparsecore.nesting import parents_of
from sdykit.core.sparsecore.steps import steps_in
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._instrument.ops import compare, create, wide
from sdykit.passes.sparsecore._instrument.reports import Reporter, make_reporter
from sdykit.passes.sparsecore._programs.entry import entry_of
from sdykit.passes.sparsecore.sanitize.checksums import checksum_of
from sdykit.passes.sparsecore.sanitize.places import Place, in_phases, in_steps, within_steps

Core = Literal["TC", "SC_SCS", "SC_TILE"]

_PLACES = {"TC": in_phases, "SC_SCS": in_steps, "SC_TILE": within_steps}
_DIFFERENT = 1
_MAX_VALUES = 7
_UNITS = {"core": "SparseCore"}
"""How messages call the dimensions of loops, if not by their names."""


@dataclass(frozen=True)
class SanitizePass(ModulePass):
    """Find buffers of a chip's program that are changed by what does not own them.

    Steps say which buffers they write (`sparsecore.writes`). The others must be the same, bit for bit,
    before and after: their checksums are computed and compared.

    - `SC_TILE`: over what a tile does in a step, the buffers that the tiles hold and the step does not
      write.
    - `SC_SCS`: over what the sequencer does between two steps, all buffers that the tiles hold. Only
      where an op writes memory there.
    - `TC`: over a phase, the arguments that no step writes: they are the caller's.

    The first change is reported through a status argument, as by `-sparsecore-check-nan`, with step,
    buffer and the numbers of the loops around. Run the pass last: its loads are no accesses of the chip.
    A program without steps, as one for a CPU, is left as it is.

    Before:

    ```mlir
    scf.parallel (%tile) = (%c0) to (%c16) step (%c1) {
      memref.copy %from, %to : ...
    } {sparsecore.step = "load", sparsecore.reads = ["embedding_ids"], sparsecore.writes = ["entry_ids"]}
    ```

    After:

    ```mlir
    scf.parallel (%tile) = (%c0) to (%c16) step (%c1) {
      %before = scf.for ... // the checksum of %entry_gains
      memref.copy %from, %to : ...
      %after = scf.for ...
      %is_changed = arith.cmpi ne, %before, %after : i64
      scf.if %is_changed {
        // stores to %status, unless it holds a message
      }
    }
    ```
    """

    name = "sparsecore-sanitize"

    cores: tuple[Core, ...] = ("TC", "SC_SCS", "SC_TILE")
    """The cores whose buffers are compared: `TC` the caller's, `SC_SCS` and `SC_TILE` those of tiles."""

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None or not steps_in(entry):
            return
        places = [place for core in self.cores for place in _PLACES[core](entry)]
        with module.context, ir.Location.unknown():
            reporter = make_reporter(entry)
            for place in places:
                _compare(place, reporter)
            reporter.finish()


def _compare(place: Place, reporter: Reporter) -> None:
    """Add code that reports the first buffer of a place that is not what it was."""
    with place.begin():
        before = [checksum_of(buffer) for buffer in place.buffers.values()]
    with place.end():
        for (name, buffer), known in zip(place.buffers.items(), before, strict=True):
            is_changed = compare(_DIFFERENT, known, checksum_of(buffer))
            choice = create("scf.if", [is_changed], regions=2)
            with ir.InsertionPoint(choice.regions[0].blocks.append()):
                where = _loops_around(place.block)
                numbers = list(where.values())
                text = f"sanitizer: {place.text.format(name=name)}{_at(list(where))}"
                reporter.report(reporter.number_of(text), wide(numbers))
                create("scf.yield", [])


def _loops_around(block: ir.Block) -> Mapping[str, ir.Value]:
    """Return what the loops around a block count, by the names of their dimensions, from the outermost."""
    found: list[tuple[str, ir.Value]] = []
    for op in parents_of(block.owner.operation):
        if AXES in op.attributes:
            names = [ir.StringAttr(each).value for each in ir.ArrayAttr(op.attributes[AXES])]
            found[:0] = zip(names, op.regions[0].blocks[0].arguments, strict=False)
    return dict(found[:_MAX_VALUES])


def _at(names: Sequence[str]) -> str:
    """Return the end of a message: the numbers of loops, which stand in the status."""
    parts = [f"{_UNITS.get(name, name)} {{{at}}}" for at, name in enumerate(names, 1)]
    return f"; {', '.join(parts)}" if parts else ""
