"""Write the instructions of a computation as ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sdykit.hlo.async_ops import DONE, START, THREAD, UPDATE, start_of, thread_of
from sdykit.hlo.errors import HloError
from sdykit.hlo.mlir import marks
from sdykit.hlo.mlir.layouts import layout_tables
from sdykit.hlo.mlir.literals import dense_of
from sdykit.hlo.mlir.locations import fits, location_of
from sdykit.hlo.mlir.rules import BY_OPCODE, Rule
from sdykit.hlo.mlir.strings import CARRIED, encode_carried
from sdykit.hlo.mlir.types import bundle_of, parts, results_of, type_of
from sdykit.hlo.model import Computation, Instruction
from sdykit.hlo.shape import Shape, equal_shape, without_layouts
from sdykit.hlo.to_mlir.operands import check_operands
from sdykit.hlo.to_mlir.ops import Ops
from sdykit.hlo.to_mlir.values import BlockValues, Results
from sdykit.mlir import ir

_CALLS = {"call": "to_apply", START: "calls", "custom-call": "called_computations"}
"""The attribute that names computations, for each opcode that calls functions."""


class BodyWriter:
    """Writes one computation into a block."""

    def __init__(
        self,
        ops: Ops,
        symbols: Mapping[Computation, str],
        made: dict[ir.Operation, Instruction],
    ) -> None:
        self.ops = ops
        self.symbols = symbols
        self.made = made
        self.chains: dict[Instruction, dict[str, ir.Attribute]] = {}
        """The attributes that all phases of a chain have in common."""
        self.values: BlockValues
        self.at: ir.InsertionPoint
        self.special: dict[str, Callable[[Instruction], Results]] = {
            "constant": self._constant,
            "opt-barrier": self._barrier,
            "call": self._call,
            "custom-call": self._custom_call,
            "reduce": self._with_region,
            "map": self._with_region,
            "sort": self._with_region,
            START: self._start,
            UPDATE: self._update,
            DONE: self._done,
        }

    def write(self, computation: Computation, block: ir.Block, terminator: str) -> None:
        """Write the instructions and the terminator."""
        self.at = ir.InsertionPoint(block)
        self.values = BlockValues(self.ops, self.at)
        for parameter, argument in zip(computation.parameters, block.arguments, strict=True):
            self.values.define(parameter, argument)
        root = computation.root
        returned = self._is_returned(root, computation)
        for op in computation:
            if op.opcode == "parameter":
                self._check(op, frozenset())
            elif op is not root or not returned:
                self.values.define(op, self._instruction(op))
        ops = self.ops
        if returned:
            self._check(root, frozenset())
            self._check_operands(root)
            location = location_of(root.name, root.attributes.get("metadata"), ops.context)
            results = self.values.operands(root)
        else:
            location = ir.Location.unknown(ops.context)
            results = self.values.elements(root)
            if not results and root.opcode != "parameter":
                self.values.last_op(root).attributes[marks.ROOT] = ops.unit
        ops.make(terminator, results, [], location=location, at=self.at)

    @staticmethod
    def common(op: Instruction) -> dict[str, str]:
        """Return the attributes of an instruction that its op carries as text."""
        found = {name: text for name, text in op.attributes.items() if name in CARRIED}
        if fits(found.get("metadata")):
            found.pop("metadata", None)
        return found

    def _is_returned(self, root: Instruction, computation: Computation) -> bool:
        """Whether the return can stand for the tuple that is the root."""
        return (
            root.opcode == "tuple"
            and root is computation.instructions[-1]
            and not self.common(root)
            and not root.control_predecessors
        )

    def _instruction(self, op: Instruction) -> Results:
        rule = BY_OPCODE.get(op.opcode)
        if rule is not None:
            self._check_operands(op)
        try:
            if op.opcode in self.special:
                return self.special[op.opcode](op)
            if rule is None:
                raise HloError(op.location, f"opcode {op.opcode} has no form in MLIR")
            if op.opcode == "bitcast":
                _check_bitcast(op)
            return self._make(
                op, rule.op, self.values.operands(op), [type_of(op.shape)], rule=rule
            ).result
        except ValueError as error:
            raise HloError(op.location, f"{op.opcode} has no form in MLIR: {error}") from error

    def _check_operands(self, op: Instruction) -> None:
        try:
            check_operands(op)
        except ValueError as error:
            raise HloError(op.location, f"{op.opcode} is invalid: {error}") from error

    def _make(
        self,
        op: Instruction,
        name: str,
        operands: Sequence[ir.Value],
        results: Sequence[str],
        *,
        rule: Rule | None = None,
        more: Mapping[str, ir.Attribute] | None = None,
        regions: int = 0,
    ) -> ir.Operation:
        """Create the op of an instruction, with the attributes that it carries."""
        names = set(rule.hlo_names) if rule is not None else set[str]()
        if rule is not None and rule.region is not None:
            names.add(rule.region)
        called = _CALLS.get(op.opcode)
        self._check(op, frozenset(names | ({called} if called else set[str]())))
        texts = encode_carried(
            {key: text for key, text in self.common(op).items() if key not in names}
        )
        attributes = dict(more or {})
        if op.opcode == "custom-call" and called in op.attributes:
            symbols = [self.ops.symbol(self.symbols[each]) for each in op.called()]
            attributes[called] = ir.ArrayAttr.get(symbols, self.ops.context)
        for field in rule.fields if rule is not None else ():
            texts.update(field.encode(op.attributes))
        for key, text in texts.items():
            attributes[key] = self.ops.attribute(text)
        location = location_of(op.name, op.attributes.get("metadata"), self.ops.context)
        made = self.ops.make(
            name, operands, results, attributes, location=location, at=self.at, regions=regions
        )
        self.made[made] = op
        return made

    def _check(self, op: Instruction, known: frozenset[str]) -> None:
        """Refuse control predecessors and attributes that would be lost."""
        if op.control_predecessors:
            message = f"control-predecessors of {op.opcode} has no form in MLIR"
            raise HloError(op.location, message)
        for name in op.attributes:
            thread = name == THREAD and op.opcode == START
            if name not in known and name not in CARRIED and not thread:
                message = f"attribute {name} of {op.opcode} has no form in MLIR"
                raise HloError(op.location, message)

    def _constant(self, op: Instruction) -> ir.Value:
        kind = type_of(op.shape)
        dense = f"dense<{dense_of(op.literal or '', op.shape)}> : {kind}"
        if "complex" not in kind:
            more = {"value": self.ops.attribute(dense)}
            return self._make(op, "stablehlo.constant", [], [kind], more=more).result
        # The bindings have no class for complex constants: such an op can only be parsed.
        self._check(op, frozenset())
        location = location_of(op.name, op.attributes.get("metadata"), self.ops.context)
        text = f'"stablehlo.constant"() {{value = {dense}}} : () -> {kind} {location}'
        try:
            made = ir.Operation.parse(text, context=self.ops.context).operation
        except ir.MLIRError as error:
            raise ValueError("the literal is not understood by MLIR") from error
        for key, value in encode_carried(self.common(op)).items():
            made.attributes[key] = self.ops.attribute(value)
        self.at.insert(made)
        self.made[made] = op
        return made.result

    def _barrier(self, op: Instruction) -> Results:
        operand = op.operands[0]
        elements = self.values.elements(operand)
        leaves = list[ir.Value]()
        for element in elements:
            leaves += self.ops.unpack(element, self.at, deep=True)
        kind = type_of(op.shape)
        if not leaves:
            more = {marks.EMPTY_BARRIER: self.ops.unit}
            return self._make(
                op, "mhlo.copy", [self.values.value(operand)], [kind], more=more
            ).result
        types = [str(leaf.type) for leaf in leaves]
        tuples = kind.startswith("tuple<")
        more = {"xla_shape": self.ops.string(without_layouts(op.shape))} if tuples else {}
        made = self._make(op, "stablehlo.optimization_barrier", leaves, types, more=more)
        results = iter(made.results)
        if not tuples:
            return next(results)
        return [self.ops.pack_deep(results, each, self.at) for each in parts(kind)]

    def _call(self, op: Instruction) -> Results:
        more = {"callee": self.ops.symbol(self._called(op))}
        results = results_of(op.shape)
        made = self._make(op, "func.call", self.values.operands(op), results, more=more)
        return self.values.results(op, made)

    def _custom_call(self, op: Instruction) -> Results:
        rule, kind, results = BY_OPCODE[op.opcode], type_of(op.shape), results_of(op.shape)
        more = {name: self.ops.attribute(text) for name, text in layout_tables(op).items()}
        # A single result stands for the tuple of one element, not for the element.
        whole = len(results) == 1
        types = [kind] if whole else results
        made = self._make(op, rule.op, self.values.operands(op), types, rule=rule, more=more)
        return made.result if whole else self.values.results(op, made)

    def _with_region(self, op: Instruction) -> Results:
        rule = BY_OPCODE[op.opcode]
        more = {marks.CALLED: self.ops.symbol(self._called(op))}
        types = results_of(op.shape)
        made = self._make(
            op, rule.op, self.values.operands(op), types, rule=rule, more=more, regions=1
        )
        called = op.called()[0]
        kinds = self.ops.types([type_of(each.shape) for each in called.parameters])
        locations = [ir.Location.name(each.name) for each in called.parameters]
        block = made.regions[0].blocks.append(*kinds, arg_locs=locations)
        BodyWriter(self.ops, self.symbols, self.made).write(called, block, "stablehlo.return")
        return self.values.results(op, made)

    def _called(self, op: Instruction) -> str:
        called = op.called()
        if len(called) != 1:
            raise ValueError(f"expected one called computation, found {len(called)}")
        return self.symbols[called[0]]

    def _chain(self, op: Instruction) -> dict[str, ir.Attribute]:
        # From the previous phase, not from the start: a chain may be long.
        chain = self.chains.get(op.operands[0]) if op.opcode != START and op.operands else None
        if chain is None:
            chain = {
                marks.CALLEE: self.ops.symbol(self._called(start_of(op) or op)),
                marks.THREAD: self.ops.string(thread_of(op)),
            }
        self.chains[op] = chain
        return chain

    def _start(self, op: Instruction) -> ir.Value:
        kind = bundle_of(op.shape)
        operands = self.values.operands(op)
        return self._make(op, "mhlo.async_start", operands, [kind], more=self._chain(op)).result

    def _update(self, op: Instruction) -> ir.Value:
        kind = bundle_of(op.shape)
        operands = self.values.operands(op)
        return self._make(op, "mhlo.async_update", operands, [kind], more=self._chain(op)).result

    def _done(self, op: Instruction) -> Results:
        types, operands = results_of(op.shape), self.values.operands(op)
        made = self._make(op, "mhlo.async_done", operands, types, more=self._chain(op))
        return self.values.results(op, made)


def _check_bitcast(op: Instruction) -> None:
    for shape in (op.shape, op.operands[0].shape):
        if Shape(shape).elements is None and not equal_shape(shape, without_layouts(shape)):
            raise ValueError(f"it depends on the layout of {shape}, and layouts are left out")
