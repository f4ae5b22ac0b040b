"""`sdykit compile`: the stages of a tile program, from its spec to machine code."""

from __future__ import annotations

import argparse
import dataclasses
from typing import TYPE_CHECKING

from sdykit.cli.command import Command
from sdykit.errors import SdykitError
from sdykit.opt.process.guard import Status

if TYPE_CHECKING:
    from sdykit.mlir import ir
    from sdykit.sparsecore.memory import Entry
    from sdykit.sparsecore.tile.spec import Reading, TileSpec

_STAGES = ("tile", "spmem", "llvm", "asm")
_RAW_IDS = (
    "// raw ids: limits of partitions and mod-sharding do not apply; they do in layout "
    "jax_tpu_embedding, to which sdykit.sparsecore.lookup(..., as_on_chip=True) converts raw ids\n"
)
"""The first line of a laid out program without an HBM stack, which follows from limits."""
_TRANSPORTS = {
    "collectives": "// transport collectives: each of {devices} devices runs the program, on what XLA's "
    "collectives gathered\n",
    "memory": "// transport memory: it runs once for {devices} devices of a process, and reads and writes the "
    "arrays of each\n",
}
"""The line about several devices, by the transport of the spec."""
_UNNAMED = "-:"
"""The beginning of a location in a text that has no file name."""
_DESCRIPTION = """\
Compiles a lookup or an update for a SparseCore, and shows a stage of it:

  tile   the tile program as it is built
  spmem  with everything placed in SPMEM or HBM, and the size of the HBM stack;
         for a CPU, which has no SPMEM, with its steps fused
  llvm   LLVM IR
  asm    machine code of this CPU

A spec is JSON, for example

  {"version": 1, "kind": "lookup", "dim": 32, "samples_per_core": 1024, "chip": "v5p"}
  {"version": 1, "kind": "update", "dim": 32, "samples_per_core": 1024,
   "optimizer": {"name": "adagrad", "learning_rate": 0.1}}

A tile program has two readings, with the same results bit for bit. The chip's is what a SparseCore
does, step by step: what it holds in SPMEM follows from the limits. In the cpu's, steps are fused,
so that this CPU is fast; it is what programs run as, unless they are configured with
execute="chip".

Checks and counters that a spec asks for are added after the layout: they are in llvm and asm.
sdy-opt adds them to a tile program that was printed: -sparsecore-count, -sparsecore-check-nan,
-sparsecore-check-bounds, -sparsecore-sanitize, -sparsecore-verify-launch.
"""
_EXAMPLES = """\
  sdykit compile lookup.json --emit=spmem --reading=chip
      show what the chip does, with the offsets of what a tile holds; change a limit, and compare

  sdykit compile lookup.json --emit=spmem --reading=cpu
      show what is left of it for a CPU

  sdykit compile lookup.json -o lookup.mlir
  sdykit compile --from-tile lookup.mlir --emit=asm
      edit the tile program in between, and see the code of the result
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("spec", metavar="SPEC", nargs="?", help="a JSON file; - for stdin")
    parser.add_argument(
        "--from-tile", metavar="FILE", help="start from a tile program instead; - for stdin"
    )
    parser.add_argument(
        "--emit", choices=_STAGES, default="tile", help="the stage to show; default: tile"
    )
    parser.add_argument(
        "--reading",
        choices=("chip", "cpu"),
        help="what the program is compiled as: what the chip does, or what is fast on a CPU; "
        "default: that of the spec, which is cpu unless it says chip",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="-",
        help="where to write it, whole or not at all; default: stdout",
    )


def _run(arguments: argparse.Namespace, status: Status) -> int:
    from sdykit.opt.io import outputs

    if bool(arguments.spec) == bool(arguments.from_tile):
        raise SdykitError("expected either SPEC or --from-tile=FILE")
    outputs.check_writable(arguments.output)
    read = (arguments.spec, arguments.from_tile)
    outputs.check_distinct({"the output": arguments.output}, read)
    shown = _from_tile(arguments, status) if arguments.from_tile else _from_spec(arguments, status)
    status("writing the output")
    outputs.write(arguments.output, f"{shown.rstrip()}\n".encode())
    return 0


def _from_spec(arguments: argparse.Namespace, status: Status) -> str:
    from sdykit.sparsecore.errors import SparseCoreError
    from sdykit.sparsecore.memory import hbm_stack
    from sdykit.sparsecore.tile.builder.contexts import tile_context
    from sdykit.sparsecore.tile.compile import TileError
    from sdykit.sparsecore.tile.spec import spec_from_json

    status("reading the input")
    name, text = _read(arguments.spec)
    try:
        spec = spec_from_json(text)
        if arguments.reading:
            spec = dataclasses.replace(spec, reading=arguments.reading)
        status("building the tile program")
        with tile_context() as context:
            module, staged = _build(context, spec, arguments.emit)
            found = _stage(module, arguments.emit, spec.reading, status, spec)
    except TileError as error:  # Its place is in a text that the user has not seen.
        raise SdykitError(f"{name}: {error.message}") from None
    except SparseCoreError as error:
        raise SdykitError(f"{name}: {error}") from None
    if spec.num_devices > 1 and arguments.emit in ("tile", "spmem"):
        found = _TRANSPORTS[spec.transport].format(devices=spec.num_devices) + found
    if arguments.emit != "spmem":
        return found
    stack = hbm_stack(spec)
    notes = [f"// HBM stack: {stack}\n"] if stack else [_RAW_IDS]
    notes += [f"// note: {each.name}: {each.bytes} bytes ({each.note})\n" for each in staged]
    return f"{''.join(notes)}{found}"


def _build(context: ir.Context, spec: TileSpec, emit: str) -> tuple[ir.Module, list[Entry]]:
    """Return a program, and its buffers that are staged in HBM; `tile` is not laid out."""
    from sdykit.sparsecore.memory import ledger_of
    from sdykit.sparsecore.tile.build import build_module
    from sdykit.sparsecore.tile.compile import build_checked

    if emit != "tile":
        return build_checked(context, spec)
    ledger_of(spec).check(spec.kind)
    return build_module(context, spec), []


def _from_tile(arguments: argparse.Namespace, status: Status) -> str:
    from sdykit.sparsecore.tile.compile import check_layout, parse_tile

    status("reading the input")
    name, text = _read(arguments.from_tile)
    status("reading the tile program")
    try:
        module = parse_tile(text)
        if arguments.emit == "tile":  # The module has lost the names that are in the text.
            return text
        check_layout(module)
        return _stage(module, arguments.emit, arguments.reading or "cpu", status, None)
    except SdykitError as error:
        message = f"{error}{_hint(error, text, arguments.reading)}"
        if not message.startswith(_UNNAMED):
            raise SdykitError(message) from None
        raise SdykitError(f"{name}:{message.removeprefix(_UNNAMED)}") from None


def _hint(error: SdykitError, text: str, reading: Reading | None) -> str:
    """Return what to do about a program that only a chip's pipeline takes; "" if there is nothing."""
    from sdykit.sparsecore.tile.compile import TileError, lay_out, parse_tile

    if reading == "chip" or not isinstance(error, TileError):
        return ""
    try:
        lay_out(parse_tile(text), "chip")
    except SdykitError:
        return ""
    return "; as a chip runs it, it is compiled with --reading=chip"


def _read(path: str) -> tuple[str, str]:
    from sdykit.opt.io import inputs

    name, data = inputs.read(path)
    try:
        return name, data.decode()
    except UnicodeDecodeError as error:
        raise SdykitError(f"{name}: byte {error.start} is not UTF-8; expected text") from None


def _stage(
    module: ir.Module, emit: str, reading: Reading, status: Status, spec: TileSpec | None
) -> str:
    """Return the text of a stage; without a spec there are no checks to add."""
    from sdykit.sparsecore.codegen import compile_module
    from sdykit.sparsecore.tile import compile as stages
    from sdykit.sparsecore.tile.build import text_of

    if emit == "tile":
        return text_of(module)
    status("running passes")
    stages.lay_out(module, reading)
    if emit == "spmem":
        return text_of(module)
    status("generating code")
    if spec is not None:
        stages.finish(module, spec)
    elif reading == "cpu":
        stages.place_for_cpu(module)
    program = compile_module(module, cache=None)
    return program.llvm if emit == "llvm" else program.assembly


COMMAND = Command(
    name="compile",
    summary="compile a SparseCore lookup or update, and show a stage of it",
    description=_DESCRIPTION,
    examples=_EXAMPLES,
    configure=_configure,
    run=_run,
)
