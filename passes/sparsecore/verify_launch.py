"""`-sparsecore-verify-launch`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, fail
from sdykit.core.sparsecore.names import CHECK
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._instrument.ops import wide
from sdykit.passes.sparsecore._instrument.reports import make_reporter
from sdykit.passes.sparsecore._programs.arguments import names_of
from sdykit.passes.sparsecore._programs.entry import entry_of, phases_of, sizes_of
from sdykit.sparsecore.tile.arguments import LAUNCH, LAUNCHES
from sdykit.sparsecore.tile.builder.ops import Builder

_MESSAGE = (
    "launch: SparseCore {1} executes launch {2}, and device {3} launch {4}; expected that all cores "
    "execute one launch"
)
_HALF = 32
_WORDS = 2


@dataclass(frozen=True)
class VerifyLaunchPass(ModulePass):
    """Check that all cores execute the same launch of a program, before anything else.

    The caller passes the id of the launch that the device executes, the argument `launch`, and those that
    all devices have exchanged: `launches`, the low and the high word of each. Each SparseCore
    compares them. The first that differs is reported through the status argument, as by
    `-sparsecore-check-nan`: what follows would wait for other data than the program's, or use them.

    Before:

    ```mlir
    func.func @lookup(%launches: memref<?xi32> {sparsecore.name = "launches"}, ...
        %launch: memref<1xi64> {sparsecore.name = "launch", sparsecore.launch}) {
    ```

    After:

    ```mlir
      scf.parallel (%core) = (%c0) to (%c4) step (%c1) {
        %own = memref.load %launch[%c0] : memref<1xi64>
        scf.for %device = %c0 to %devices step %c1 {
          %is_other = arith.cmpi ne, %id, %own : i64
          scf.if %is_other {
            // stores to %status, unless it holds a message
          }
        }
      } {sparsecore.check}
    ```
    """

    name = "sparsecore-verify-launch"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        arguments = dict(zip(names_of(entry), entry.regions[0].blocks[0].arguments, strict=True))
        missing = [each.name for each in (LAUNCHES, LAUNCH) if each.name not in arguments]
        cores = sizes_of(entry).get("sparse_cores")
        if missing or cores is None:
            what = f"argument '{missing[0]}'" if missing else "size 'sparse_cores'"
            fail(entry, f"has no {what}; expected a lookup or an update that verifies launches")
        with module.context, ir.Location.unknown():
            _add_phase(entry, arguments[LAUNCHES.name], arguments[LAUNCH.name], cores)


def _add_phase(entry: ir.Operation, launches: ir.Value, launch: ir.Value, cores: int) -> None:
    """Add the phase in which each SparseCore compares its launch with those of all devices."""
    b, reporter = Builder(entry.context, entry.regions[0].blocks[0]), make_reporter(entry)
    number = reporter.number_of(_MESSAGE)

    def check(core: ir.Value) -> None:
        own = b.load(launch, 0)

        def compare(device: ir.Value) -> tuple[()]:
            other = _id_of(b, launches, device)

            def report() -> tuple[()]:
                here, there = wide((core, device))
                reporter.report(number, (here, own, there, other))
                return ()

            b.choose(b.compare("ne", other, own), report)
            return ()

        b.loop(0, b.div(b.dim(launches, 0), _WORDS), compare)

    with ir.InsertionPoint(phases_of(entry)[0]):
        b.phase({"core": cores}, check, **{CHECK: "unit"})
    reporter.finish()


def _id_of(b: Builder, launches: ir.Value, device: ir.Value) -> ir.Value:
    """Return the id that a device has sent."""
    place = b.mul(device, _WORDS)
    low, high = (b.load(launches, b.add(place, each)) for each in range(_WORDS))
    first, second = (b.convert("arith.extui", each, "i64") for each in (low, high))
    shifted = b.integers("arith.shli", second, b.constant(str(_HALF), "i64"))
    return b.integers("arith.ori", shifted, first)
