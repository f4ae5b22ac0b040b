"""`sdykit kernel`: the stages of a Pallas kernel, from a user's function to machine code."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sdykit.cli.command import Command
from sdykit.errors import SdykitError
from sdykit.opt.process.guard import Status

if TYPE_CHECKING:
    from sdykit.bridge.pallas.capture import Captured
    from sdykit.sparsecore.mosaic.spec import MosaicSpec

_STAGES = ("mosaic", "tile", "llvm", "asm")
_BETWEEN = "\n// -----\n"
_DESCRIPTION = """\
Lowers a function that calls Pallas kernels for SparseCores, and shows each kernel: who runs it, where
its memory is, whether it is compiled or why not, and what a chip's compiler may refuse. Nothing runs.
With --emit, a stage of it instead:

  mosaic  the module that JAX makes of it, canonical, in the dialect `tpu`
  tile    the tile program, in upstream dialects
  llvm    LLVM IR
  asm     machine code of this CPU

The arguments of the function are what `example_arguments()` of its file returns, or --shapes.
"""
_EXAMPLES = """\
  sdykit kernel examples/kernels/gather.py:gather
      show the subcores and the memory of a kernel

  sdykit kernel mine.py:gather --shapes='f32[1000,128] s32[4096]' --chip=v6e
      the same for arrays of these shapes, on a v6e

  sdykit kernel mine.py:gather --emit=mosaic -o gather.mlir
      write the module, with the lines of the file
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "function", metavar="FILE:FUNCTION", help="a Python file, and a function in it"
    )
    parser.add_argument("--emit", choices=_STAGES, help="the stage to show; default: a summary")
    parser.add_argument(
        "--shapes", metavar="SHAPES", help="the arguments, such as 'f32[32,16] s32[8]'"
    )
    parser.add_argument(
        "--chip", metavar="CHIP", help="v5p (default), v6e, 7x or a file that describes one"
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

    path, colon, name = arguments.function.rpartition(":")
    if not colon or not path or not name:
        raise SdykitError(f"found {arguments.function!r}; expected FILE:FUNCTION")
    outputs.check_writable(arguments.output)
    outputs.check_distinct({"the output": arguments.output}, (path,))
    found = _captured(arguments, path, name, status)
    if not found.kernels:
        raise SdykitError(
            f"{path}: {name} runs no kernel on a SparseCore; expected a call of pl.kernel(..., mesh=...) "
            "with a mesh of jax.experimental.pallas.tpu_sc"
        )
    status("compiling the kernel")
    shown = _summary(found) if arguments.emit is None else _stages(found, arguments.emit)
    status("writing the output")
    outputs.write(arguments.output, f"{shown.rstrip()}\n".encode())
    return 0


def _captured(arguments: argparse.Namespace, path: str, name: str, status: Status) -> Captured:
    # A chip that is there is not asked: kernels are lowered for CPU devices.
    os.environ["JAX_PLATFORMS"] = "cpu"
    from sdykit.opt.process import lazy_numpy

    lazy_numpy.load()
    from sdykit.bridge import user_files
    from sdykit.bridge.pallas.capture import capture_kernels
    from sdykit.bridge.settings import configure

    status("importing JAX")
    configure(arguments.chip, pallas="check")
    status("running the file")
    module = user_files.read_file(path)
    function = user_files.function_of(module, name, path)
    if arguments.shapes is not None:
        given: Any = user_files.shapes_of(arguments.shapes)
    else:
        given = user_files.arguments_of(module, function, path)
    status("lowering the function")
    return user_files.at_lines_of(path, lambda: capture_kernels(function, given))


def _summary(found: Captured) -> str:
    from sdykit.sparsecore.mosaic.summary import summary

    texts = [summary(spec) for spec in found.kernels]
    return "\n".join([*texts, *(f"warning: {each}" for each in found.warnings)])


def _stages(found: Captured, emit: str) -> str:
    return _BETWEEN.join(_stage(spec, emit).rstrip() for spec in found.kernels)


def _stage(spec: MosaicSpec, emit: str) -> str:
    if emit == "mosaic":
        return spec.module
    if emit == "tile":
        return _compiled(spec, lambda: _tile(spec))
    from sdykit.sparsecore.mosaic.lowering.compile import compile_kernel

    program = _compiled(spec, lambda: compile_kernel(spec, cache=None))
    return program.llvm if emit == "llvm" else program.assembly


def _tile(spec: MosaicSpec) -> str:
    from sdykit.sparsecore.mosaic.kernel import read_kernel
    from sdykit.sparsecore.mosaic.lowering import lower
    from sdykit.sparsecore.tile.build import text_of

    return text_of(lower(read_kernel(spec.module, spec.name), spec))


def _compiled(spec: MosaicSpec, work: Callable[[], Any]) -> Any:
    from sdykit.sparsecore.mosaic.lowering import NotLowered

    try:
        return work()
    except NotLowered as error:
        where = f", at {error.place}" if error.place else ""
        raise SdykitError(
            f"kernel '{spec.name}' is not compiled: {error.reason}{where}; it runs op by op, and has no "
            "other stage than --emit=mosaic"
        ) from None


COMMAND = Command(
    name="kernel",
    summary="show a stage of a Pallas kernel for SparseCores",
    description=_DESCRIPTION,
    examples=_EXAMPLES,
    configure=_configure,
    run=_run,
)
