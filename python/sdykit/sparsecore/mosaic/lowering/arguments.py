"""The arguments of a kernel's tile program."""

from __future__ import annotations

import math

from sdykit.core.sparsecore.names import NAME, SETTINGS, STATUS
from sdykit.sparsecore.codegen.emission.types import ELEMENTS
from sdykit.sparsecore.mosaic.kernel import Function
from sdykit.sparsecore.mosaic.lowering.emitter import stored_type
from sdykit.sparsecore.mosaic.lowering.registry import NotLowered
from sdykit.sparsecore.mosaic.spec import MosaicSpec
from sdykit.sparsecore.mosaic.types import memref_of


class Arguments:
    """The arguments of the entry function: arrays of the call, settings of the machine, the status.

    Args:
        function: the kernel's function.
        spec: how it is to run.
        counted: the numbers of subcores and of counters of each; None: nothing is counted.
        timed: the numbers of subcores and of words of each for the times of scopes; None: there are none.
        is_together: whether subcores may wait for each other; then the runtime has settings.

    Raises:
        NotLowered: an array has elements that cannot be compiled yet.

    Attributes:
        numbers: the number of the argument that each array is.
        types: the types of all arguments, as texts; the last is that of the status.
        marks: the attributes of all arguments, as texts.
        operands: the numbers of the arguments that are operands of the call.
        inputs: the numbers of the arguments that no result is aliased with.
        device: the number of the argument that has the number of the device; None if none has.
        counters: the number of the argument that has the counters; None: nothing is counted.
        scope_times: the number of the argument that has the times of scopes; None: there are none.
    """

    def __init__(
        self,
        function: Function,
        spec: MosaicSpec,
        counted: tuple[int, int] | None = None,
        timed: tuple[int, int] | None = None,
        *,
        is_together: bool,
    ) -> None:
        aliases = {result: operand for operand, result in spec.input_output_aliases}
        self.numbers: list[int] = []
        self.types: list[str] = []
        self.device = spec.operands if spec.passes_device else None
        for at, value in enumerate(function.arrays):
            memref = memref_of(value.type)
            if at == self.device:
                self.types.append("memref<1xi32>")
            stored = "i32" if memref.is_semaphore else stored_type(memref)
            if stored not in ELEMENTS:
                raise NotLowered(f"an array of {memref.element}")
            operand = aliases.get(at - spec.operands) if at >= spec.operands else None
            self.numbers.append(len(self.types) if operand is None else operand)
            if operand is None:
                count = math.prod(size or 0 for size in memref.shape)
                self.types.append(f"memref<{count}x{stored}>")
        if self.device == len(self.types):  # There are no results of their own.
            self.types.append("memref<1xi32>")
        self.marks = [f'{NAME} = "array {number}"' for number in range(len(self.types))]
        self.counters = None if counted is None else len(self.types)
        if counted is not None:
            self.types.append(f"memref<{counted[0]}x{counted[1]}xi64>")
            self.marks.append(f'{NAME} = "counters"')
        self.scope_times = None if timed is None else len(self.types)
        if timed is not None:
            self.types.append(f"memref<{timed[0]}x{timed[1]}xi64>")
            self.marks.append(f'{NAME} = "scope_times"')
        if is_together:
            self.types.append("memref<4xi64>")
            self.marks.append(SETTINGS)
        self.types.append("memref<8xi64>")
        self.marks.append(STATUS)
        self.operands = set(range(spec.operands))
        self.inputs = sorted(set(range(spec.operands)) - set(aliases.values()))
