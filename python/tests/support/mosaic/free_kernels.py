"""Small kernels as text, compiled, run on numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.codegen import compile_module, run
from sdykit.sparsecore.mosaic.buffers import Buffers, names_of
from sdykit.sparsecore.mosaic.kernel import read_kernel
from sdykit.sparsecore.mosaic.lowering import lower
from sdykit.sparsecore.mosaic.reports import KernelError, decode
from sdykit.sparsecore.mosaic.spec import MosaicChip, MosaicSpec

Array = npt.NDArray[Any]
CHIP = MosaicChip(name="7x", cores=2, subcores=16, lanes=16, vmem_bytes=1 << 19, granule=32)
DMA = "memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>"


def memref_type(shape: Sequence[int | str], element: str, space: str = "hbm") -> str:
    """Return the text of a memref's type."""
    sizes = "".join(f"{size}x" for size in shape)
    return f"memref<{sizes}{element}, #tpu.memory_space<{space}>>"


def module(body: str, arguments: str, *, bounds: str = "1, 1", scratch: int = 0) -> str:
    """Return a module of one function of vector subcores.

    Args:
        body: its ops; each line of it is a line of "k.py", from 1 on.
        arguments: names and types of arrays, then of scratch.
        bounds: cores and subcores, the indices of which are %core and %subcore.
        scratch: the number of arguments that are scratch.
    """
    lines = "\n".join(
        f'{line} loc("k.py":{number}:0)' if line.strip() and line.strip()[-1] not in "{}" else line
        for number, line in enumerate(body.strip().split("\n"), 1)
    )
    return f"""module {{
    func.func @kernel(%core: i32, %subcore: i32, {arguments}) attributes {{
        iteration_bounds = array<i64: {bounds}>, scratch_operands = {scratch} : i64,
        tpu.core_type = #tpu.core_type<sc_vector_subcore>}} {{
{lines}
      return
    }}
}}"""


def spec(text: str, operands: int, aliases: Sequence[tuple[int, int]] = ()) -> MosaicSpec:
    """Return the spec of a kernel that is to run in `fast`."""
    return MosaicSpec(
        name="kernel",
        module=text,
        chip=CHIP,
        operands=operands,
        input_output_aliases=tuple(aliases),
        mode="fast",
    )


def tile_program(text: str, operands: int = 1) -> str:
    """Return the text of a kernel's tile program."""
    return str(lower(read_kernel(text, "kernel"), spec(text, operands)))


def run_compiled(
    text: str,
    operands: Sequence[Array],
    results: Sequence[Array],
    *,
    aliases: Sequence[tuple[int, int]] = (),
    threads: int = 1,
) -> None:
    """Compile a kernel and run it.

    Args:
        text: the module.
        operands: the operands of the call.
        results: the results that no operand is aliased with; they are written.
        aliases: pairs of an operand and a result in one buffer.
        threads: the number of threads.

    Raises:
        KernelError: the kernel failed.
    """
    kernel = read_kernel(text, "kernel")
    program = compile_module(lower(kernel, spec(text, len(operands), aliases)), cache=None)
    status = np.zeros(8, np.int64)
    flat = [_stored(each).reshape(-1) for each in (*operands, *results)]
    run(program, [*flat, status], threads)
    if status[0]:
        message = program.interface.messages[status[0]]
        for number, value in enumerate(status):
            message = message.replace(f"{{{number}}}", str(value))
        report = decode([int(each) for each in message.split()])
        raise KernelError(report, names_of(kernel, Buffers(kernel)))


def _stored(array: Array) -> Array:
    return array.view(np.int8) if array.dtype.name == "int4" else array


def copying(source: str, target: str, source_type: str, target_type: str) -> str:
    """Return the ops that copy one memref to another, and wait."""
    return f"""
%sem = tpu.sem_alloc : {DMA}
tpu.enqueue_dma source({source} : {source_type}) target({target} : {target_type}) target_semaphore(%sem : {DMA})
tpu.wait_dma2 semaphore(%sem : {DMA}) src({source} : {source_type}) dst({target} : {target_type})"""


def gathering(*, filtered: bool = False, scatters: bool = False, count: int = 12) -> str:
    """Return a kernel that gathers rows of %x by %ids to %y, or scatters them."""
    big, small = memref_type((20, 40), "f32"), memref_type((count, 40), "f32")
    rows, ids = memref_type((count, 40), "f32", "vmem"), memref_type((count,), "i32")
    own = memref_type((count,), "i32", "vmem")
    indexed = ("%y" if scatters else "%x", big)
    sides = [(*indexed,), ("%rows", rows)]
    source, target = sides[::-1] if scatters else sides
    option = " offset_filter(%skipped)" if filtered else ""
    load = copying("%x", "%rows", small, rows).replace("%sem", "%b") if scatters else ""
    store = "" if scatters else copying("%rows", "%y", rows, small).replace("%sem", "%c")
    body = f"""
%skipped = arith.constant -1 : i32
{copying("%ids", "%own", ids, own).replace("%sem", "%a")}
{load}
%sem = tpu.sem_alloc : {DMA}
tpu.enqueue_indirect_dma source({source[0]} : {source[1]}) target({target[0]} : {target[1]}) offsets(%own : {own}){option} semaphore(%sem : {DMA})
tpu.wait_indirect_dma semaphore(%sem : {DMA}) src({source[0]} : {source[1]}) dst({target[0]} : {target[1]})
{store}
"""
    x, y = (small, big) if scatters else (big, small)
    arrays = f"%x: {x}, %ids: {ids}, %y: {y}, %own: {own}, %rows: {rows}"
    return module(body, arrays, scratch=2)
