"""Kernels: what JAX makes of a function for a SparseCore's subcores, read from MLIR."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sdykit.mlir import ir, make_context, register_tpu_dialect
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.mosaic.places import Places
from sdykit.sparsecore.mosaic.types import CoreType, core_type, is_memref, memref_of

_WAITING = {"tpu.barrier", "tpu.sem_wait", "tpu.sem_read", "tpu.fetch_and_add_sync"}
"""Ops by which one subcore waits for another; reading a semaphore in a loop is waiting, too."""

_PRINTING = {"tpu.log", "tpu.log_buffer"}
"""Ops whose lines are in the order of runs."""

_TARGETS_BY_ID = {"tpu.enqueue_dma", "tpu.sem_signal"}
"""Ops that reach another subcore if they have ids."""


@dataclass(frozen=True, slots=True)
class Agent:
    """One subcore that runs a function.

    Attributes:
        number: its position among all agents of the kernel.
        core_type: "vector" or "scalar".
        core: the SparseCore that it belongs to.
        subcore: which of the core's vector subcores it is; None for a scalar one.
    """

    number: int
    core_type: CoreType
    core: int
    subcore: int | None

    @property
    def text(self) -> str:
        """The agent as errors name it: "vector subcore (0, 15)", "scalar subcore 1"."""
        if self.subcore is None:
            return f"scalar subcore {self.core}"
        return f"vector subcore ({self.core}, {self.subcore})"


@dataclass(frozen=True, slots=True)
class Function:
    """What the subcores of one mesh run.

    Attributes:
        op: the `func.func`.
        name: the name of the user's function.
        core: "vector" or "scalar".
        bounds: (cores, subcores) of a vector mesh, (cores,) of a scalar one.
        indices: block arguments that hold a subcore's position in `bounds`, i32.
        arrays: block arguments of the call's operands, then its results.
        scratch: block arguments of memory that the call provides.
        agents: who runs it, the last index fastest.
    """

    op: ir.OpView
    name: str
    core: CoreType
    bounds: tuple[int, ...]
    indices: tuple[ir.BlockArgument, ...]
    arrays: tuple[ir.BlockArgument, ...]
    scratch: tuple[ir.BlockArgument, ...]
    agents: tuple[Agent, ...]

    @property
    def body(self) -> ir.Block:
        """The block that each agent runs."""
        return self.op.regions[0].blocks[0]


@dataclass(frozen=True)
class Kernel:
    """A module of functions that run at once, one for each mesh.

    Attributes:
        name: the kernel's name, for errors.
        module: the canonical module; it must live as long as its ops are used.
        functions: all functions, in the order of the module.
        places: source lines of its ops.
    """

    name: str
    module: ir.Module
    functions: tuple[Function, ...]
    places: Places = field(default_factory=Places)

    @cached_property
    def agents(self) -> tuple[Agent, ...]:
        """All agents by number: those of the first function, then those of the second ..."""
        return tuple(agent for function in self.functions for agent in function.agents)

    @cached_property
    def is_free(self) -> bool:
        """Whether no agent can ever wait for another, nor reach memory that agents share.

        Inputs and results in HBM are shared, but copied only: two agents that write the same bytes
        may do so in any order.
        """
        if len(self.functions) != 1:
            return False
        types = [memref_of(each.type) for each in self.functions[0].arrays if is_memref(each.type)]
        if any(each.is_semaphore for each in types):
            return False
        if any(_is_shared(each) for each in self.functions[0].scratch):
            return False
        return not any(_reaches_others(op) for op in walk(self.functions[0].op))


def read_kernel(source: str | ir.Module, name: str) -> Kernel:
    """Return the kernel in a module of the tpu dialect, canonical, with locations.

    Args:
        source: the module, or its text.
        name: the kernel's name, for errors.

    Raises:
        SparseCoreError: the text is no such module, or a function is not for a SparseCore.
    """
    module = _parse(source, name) if isinstance(source, str) else source
    ops = [op for op in module.body.operations if op.operation.name == "func.func"]
    if not ops:
        raise SparseCoreError(f"kernel '{name}': the module has no function; expected one per mesh")
    functions: list[Function] = []
    first = 0
    for op in ops:
        functions.append(_function(op, first))
        first += len(functions[-1].agents)
    return Kernel(name, module, tuple(functions))


def walk(op: ir.OpView | ir.Operation) -> Iterator[ir.OpView]:
    """Yield the ops inside an op, in order, each before those inside it."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield inner
                yield from walk(inner)


def _parse(text: str, name: str) -> ir.Module:
    context = make_context()
    register_tpu_dialect(context)
    try:
        return ir.Module.parse(text, context)
    except ir.MLIRError as error:
        raise SparseCoreError(f"kernel '{name}': its module cannot be read: {error}") from error


def _function(op: ir.OpView, first_agent: int) -> Function:
    attributes = op.attributes
    name = ir.StringAttr(attributes["sym_name"]).value
    for needed in ("tpu.core_type", "iteration_bounds"):
        if needed not in attributes:
            raise SparseCoreError(f"function '{name}' has no attribute '{needed}' of a kernel")
    core = core_type(str(attributes["tpu.core_type"]).partition("<")[2].rstrip(">"))
    bounds = tuple(ir.DenseI64ArrayAttr(attributes["iteration_bounds"]))
    expected = ("cores", "subcores") if core == "vector" else ("cores",)
    if len(bounds) != len(expected):
        raise SparseCoreError(
            f"function '{name}' has the iteration bounds {list(bounds)}; "
            f"expected [{', '.join(expected)}] for a {core} subcore"
        )
    count = ir.IntegerAttr(attributes["scratch_operands"]).value
    arguments = tuple(op.regions[0].blocks[0].arguments)
    last_array = len(arguments) - count
    return Function(
        op,
        name,
        core,
        bounds,
        indices=arguments[: len(bounds)],
        arrays=arguments[len(bounds) : last_array],
        scratch=arguments[last_array:],
        agents=tuple(_agents(core, bounds, first_agent)),
    )


def _agents(core: CoreType, bounds: tuple[int, ...], first: int) -> Iterator[Agent]:
    points = itertools.product(*(range(bound) for bound in bounds))
    for number, point in enumerate(points, first):
        yield Agent(number, core, point[0], point[1] if core == "vector" else None)


def _reaches_others(op: ir.OpView) -> bool:
    """Return whether an op waits for other agents, or touches memory that they share."""
    name = op.operation.name
    if name in _WAITING or name in _PRINTING:
        return True
    memrefs = [memref_of(each.type) for each in op.operands if is_memref(each.type)]
    memrefs += [memref_of(each.type) for each in op.results if is_memref(each.type)]
    if any(each.space == "vmem_shared" for each in memrefs):
        return True
    if name == "memref.alloca" and _is_shared(op.operation.results[0]):
        return True
    if name in _TARGETS_BY_ID:
        view: Any = op.operation.opview
        return any(each is not None for each in (view.device_id, view.core_id, view.subcore_id))
    return name == "tpu.enqueue_indirect_dma" and _adds_to_shared_memory(op.operation.opview)


def _is_shared(value: ir.Value) -> bool:
    """Return whether scratch, or what an op makes, is memory that agents share."""
    return is_memref(value.type) and memref_of(value.type).space in {"hbm", "vmem_shared"}


def _adds_to_shared_memory(view: Any) -> bool:
    return view.add.value and memref_of(view.target.type).space == "hbm"
