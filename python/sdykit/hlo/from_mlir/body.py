"""Read the ops of a block as instructions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sdykit.hlo.async_ops import DONE, START, THREAD, UPDATE, start_of
from sdykit.hlo.attributes import quoted
from sdykit.hlo.errors import HloError
from sdykit.hlo.from_mlir.builder import InstructionBuilder
from sdykit.hlo.from_mlir.places import Places
from sdykit.hlo.from_mlir.texts import (
    LAYOUTS,
    Regions,
    Signature,
    attributes_of,
    check_layouts,
    symbols,
)
from sdykit.hlo.from_mlir.values import leaves
from sdykit.hlo.mlir import marks
from sdykit.hlo.mlir.fields import braced
from sdykit.hlo.mlir.layouts import layout_constraints, with_layouts
from sdykit.hlo.mlir.literals import literal_of
from sdykit.hlo.mlir.rules import BY_OP, Rule
from sdykit.hlo.mlir.strings import OF_MLIR, of_string
from sdykit.hlo.mlir.types import parts, shape_of
from sdykit.hlo.model import MAIN_THREAD, Computation
from sdykit.hlo.shape import Shape, tuple_shape, without_layouts
from sdykit.mlir import ir

_RETURNS = frozenset({"func.return", "stablehlo.return", "mhlo.return"})
_QUIET = frozenset({"xla_shape", marks.IMPLIED, marks.ROOT}) | LAYOUTS


class BodyReader:
    """Reads one block into a computation."""

    def __init__(
        self,
        computation: Computation,
        signatures: Mapping[str, Signature],
        regions: Regions,
        places: Places,
    ) -> None:
        self.computation = computation
        self.signatures = signatures
        self.regions = regions
        self.places = places
        self.builder = InstructionBuilder(computation, places)
        self.special: dict[str, Callable[[ir.Operation, dict[str, str]], None]] = {
            "constant": self._constant,
            "dot": self._dot,
            "opt-barrier": self._barrier,
            "call": self._call,
            "custom-call": self._custom_call,
        }
        self.chains: dict[str, Callable[[ir.Operation, dict[str, str]], None]] = {
            "mhlo.async_start": self._start,
            "mhlo.async_update": self._update,
            "mhlo.async_done": self._done,
        }

    def read(
        self, block: ir.Block, arguments: Sequence[Mapping[str, str]], signature: Signature
    ) -> None:
        """Read the ops up to the return.

        Raises:
            HloError: an op, attribute or type has no form in HLO.
        """
        for argument, attributes in zip(block.arguments, arguments, strict=True):
            try:
                self.builder.parameter(argument, attributes)
            except ValueError as error:
                owner = block.owner.operation
                place = self.places.of(owner, argument.arg_number)
                raise HloError(place, f"an argument has no form in HLO: {error}") from error
        for op in [each.operation for each in block]:
            try:
                self.builder.begin(op)
                if op.name in _RETURNS:
                    self._return(op, signature)
                else:
                    self._op(op)
            except ValueError as error:
                message = f"op {op.name} has no form in HLO: {error}"
                raise HloError(self.places.of(op), message) from error

    def _return(self, op: ir.Operation, signature: Signature) -> None:
        items, tuples = self.builder.items(op), self.builder.parts
        extra = attributes_of(op)
        if extra:
            raise ValueError(f"attribute {next(iter(extra))} would be lost")
        if not signature.is_tuple:
            self.computation.root = tuples.instruction(items[0])
            return
        if not items and self.builder.root is not None:
            self.computation.root = self.builder.root
            return
        whole = tuples.whole(items)
        if whole is not None:
            self.computation.root = tuples.instruction(whole)
            return
        operands = [tuples.instruction(each) for each in items]
        shape = tuple_shape([each.shape for each in operands])
        self.computation.root = self.builder.add(op, shape, "tuple", operands, {})

    def _op(self, op: ir.Operation) -> None:
        attributes = attributes_of(op)
        if marks.IMPLIED in attributes and self.builder.implied(op, attributes):
            return
        if op.name in self.chains:
            self.chains[op.name](op, attributes)
            return
        if marks.EMPTY_BARRIER in attributes and op.name == "mhlo.copy":
            self.builder.define(op, "opt-barrier", {}, self.builder.shape(op))
            return
        rule = BY_OP.get(op.name)
        if rule is None or marks.EMPTY_BARRIER in attributes:
            raise HloError(self.places.of(op), f"op {op.name} has no form in HLO")
        if rule.opcode in self.special:
            self.special[rule.opcode](op, attributes)
        else:
            self._plain(op, attributes, rule)

    def _plain(self, op: ir.Operation, attributes: dict[str, str], rule: Rule) -> None:
        if rule.opcode == "bitcast":
            check_layouts(attributes)
        texts = self._decoded(attributes, rule)
        if rule.region is None:
            self.builder.define(op, rule.opcode, texts, self.builder.shape(op))
            return
        wanted = next(iter(symbols(attributes.get(marks.CALLED, "@region"))), "region")
        wanted = self.signatures[wanted].name if wanted in self.signatures else wanted
        texts[rule.region] = ""
        made = self.builder.define(op, rule.opcode, texts, self.builder.shape(op))
        called = Computation(wanted, offset=self.places.number(op))
        block = op.regions[0].blocks[0]
        results = [str(each.type) for each in list(block.operations)[-1].operands]
        reader = BodyReader(called, self.signatures, self.regions, self.places)
        nothing = [dict[str, str]() for _ in block.arguments]
        reader.read(block, nothing, Signature(wanted, tuple(results)))
        self.regions.append((made, wanted, called))

    def _decoded(
        self, attributes: dict[str, str], rule: Rule, known: frozenset[str] = frozenset()
    ) -> dict[str, str]:
        """Return the attributes of the instruction; refuse those of the op that would be lost."""
        region = {marks.CALLED} if rule.region is not None else set[str]()
        for name, text in attributes.items():
            quiet = name in _QUIET or (name == "result_accuracy" and "DEFAULT" in text)
            if name not in rule.mlir_names | known | OF_MLIR | region and not quiet:
                raise ValueError(f"attribute {name} would be lost")
        texts = dict[str, str]()
        for field in rule.fields:
            texts.update(field.decode(attributes))
        return texts

    def _constant(self, op: ir.Operation, attributes: dict[str, str]) -> None:
        self._decoded(attributes, BY_OP[op.name], frozenset({"value"}))
        shape = self.builder.shape(op)
        literal = literal_of(attributes["value"], shape)
        self.builder.define(op, "constant", {}, shape, literal=literal)

    def _dot(self, op: ir.Operation, attributes: dict[str, str]) -> None:
        texts = self._decoded(attributes, BY_OP[op.name])
        if op.name.endswith(".dot"):
            rank = len(Shape(shape_of(str(op.operands[0].type))).dimensions)
            texts["lhs_contracting_dims"] = braced([rank - 1])
            texts["rhs_contracting_dims"] = braced([0])
        self.builder.define(op, "dot", texts, self.builder.shape(op))

    def _custom_call(self, op: ir.Operation, attributes: dict[str, str]) -> None:
        called = "called_computations"
        texts = self._decoded(attributes, BY_OP[op.name], frozenset({called}))
        names = [self._signature(each).name for each in symbols(attributes.get(called, ""))]
        if names:
            texts[called] = f"{{{', '.join([f'%{name}' for name in names])}}}"
        operands = [shape_of(str(each.type)) for each in op.operands]
        texts.update(layout_constraints(attributes, operands))
        self.builder.define(
            op, "custom-call", texts, with_layouts(attributes, self.builder.shape(op))
        )

    def _call(self, op: ir.Operation, attributes: dict[str, str]) -> None:
        self._decoded(attributes, BY_OP[op.name], frozenset({"callee"}))
        signature = self._signature(symbols(attributes["callee"])[0])
        self.builder.define(op, "call", {"to_apply": f"%{signature.name}"}, signature.shape)

    def _barrier(self, op: ir.Operation, attributes: dict[str, str]) -> None:
        texts = self._decoded(attributes, BY_OP[op.name])
        shape = self.builder.shape(op)
        kinds = [shape_of(str(each.type)) for each in op.results]
        if "xla_shape" in attributes:
            written = without_layouts(of_string(attributes["xla_shape"]))
            shape = written if [leaf for _, leaf in leaves(written)] == kinds else shape
        if Shape(shape).elements is None:
            self.builder.define(op, "opt-barrier", texts, shape)
        else:
            self.builder.define_deep(op, texts, shape)

    def _start(self, op: ir.Operation, attributes: dict[str, str]) -> None:
        self._check_chain(attributes)
        signature = self._signature(symbols(attributes[marks.CALLEE])[0])
        thread = of_string(attributes[marks.THREAD])
        _, _, *context = parts(str(op.result.type))
        inputs = tuple_shape([each.shape for each in self.builder.operands(op)])
        shape = tuple_shape([inputs, signature.shape, *[shape_of(each) for each in context]])
        texts = {THREAD: quoted(thread)} if thread != MAIN_THREAD else {}
        texts["calls"] = f"%{signature.name}"
        self.builder.define(op, START, texts, shape)

    def _update(self, op: ir.Operation, attributes: dict[str, str]) -> None:
        self._check_chain(attributes)
        self.builder.define(op, UPDATE, {}, self.builder.operands(op)[0].shape)

    def _done(self, op: ir.Operation, attributes: dict[str, str]) -> None:
        self._check_chain(attributes)
        start = start_of(self.builder.operands(op)[0])
        if start is None:
            raise ValueError("its chain has no start in this function")
        elements = Shape(start.shape).elements
        if elements is None or len(elements) < 2:
            raise ValueError("its start has no output")
        self.builder.define(op, DONE, {}, elements[1].text)

    def _check_chain(self, attributes: dict[str, str]) -> None:
        for name in attributes:
            if name not in OF_MLIR | _QUIET | {marks.CALLEE, marks.THREAD}:
                raise ValueError(f"attribute {name} would be lost")

    def _signature(self, symbol: str) -> Signature:
        found = self.signatures.get(symbol)
        if found is None:
            raise ValueError(f"there is no function @{symbol}; expected one of the module's")
        return found
