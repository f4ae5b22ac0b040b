"""Reading the ops of a block as instructions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from sdykit.hlo import _mlir_marks as marks
from sdykit.hlo._mlir_attributes import braced
from sdykit.hlo._mlir_literals import literal_of
from sdykit.hlo._mlir_locations import origin_of, place_of
from sdykit.hlo._mlir_strings import OF_MLIR, of_string
from sdykit.hlo._mlir_table import BY_OP, Rule
from sdykit.hlo._mlir_texts import (
    LAYOUTS,
    Regions,
    Signature,
    attributes_of,
    carry_of,
    check_layouts,
    symbols,
)
from sdykit.hlo._mlir_types import parts, shape_of
from sdykit.hlo._mlir_values import Empty, Item, Part, Parts, leaves
from sdykit.hlo.async_ops import DONE, START, THREAD, UPDATE, start_of
from sdykit.hlo.attributes import quoted
from sdykit.hlo.errors import HloError
from sdykit.hlo.model import MAIN_THREAD, Computation, Instruction
from sdykit.hlo.shape import Shape, tuple_shape, without_layouts
from sdykit.mlir import ir

_NAME = re.compile(r"[\w.\-]+", re.ASCII)
_COUNT = re.compile(r"\.\d+\Z", re.ASCII)
_RETURNS = frozenset({"func.return", "stablehlo.return", "mhlo.return"})
_QUIET = frozenset({"xla_shape", marks.IMPLIED, marks.ROOT}) | LAYOUTS


class BodyReader:
    """Reads one block into a computation."""

    def __init__(
        self, computation: Computation, signatures: Mapping[str, Signature], regions: Regions
    ) -> None:
        self.computation = computation
        self.signatures = signatures
        self.regions = regions
        self.parts = Parts(computation, self._name)
        self.values = dict[ir.Value, Item]()
        self.counts = dict[str, int]()
        self.root: Instruction | None = None
        self.pending: Instruction | None = None
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
        """Read the ops up to the return."""
        for at, argument in enumerate(block.arguments):
            self._parameter(argument, at, dict(arguments[at]))
        for op in [each.operation for each in block]:
            try:
                if op.name in _RETURNS:
                    self._return(op, signature)
                else:
                    self._op(op)
            except ValueError as error:
                message = f"op {op.name} has no form in HLO: {error}"
                raise HloError(place_of(op.location), message) from error

    def _parameter(self, argument: ir.BlockArgument, at: int, attributes: dict[str, str]) -> None:
        origin = origin_of(argument.location)
        is_root = attributes.pop(marks.ROOT, None) is not None
        if origin.metadata is not None:
            attributes.setdefault("metadata", origin.metadata)
        try:
            shape = shape_of(str(argument.type))
        except ValueError as error:
            raise HloError(place_of(argument.location), str(error)) from error
        name = self._name(origin.name or f"Arg_{at}")
        op = Instruction(name, shape, "parameter", (), attributes, literal=str(at))
        self.values[argument] = self.computation.append(op)
        self.root = op if is_root else self.root

    def _return(self, op: ir.Operation, signature: Signature) -> None:
        items = [self._item(operand) for operand in op.operands]
        extra = attributes_of(op)
        if extra:
            raise ValueError(f"attribute {next(iter(extra))} would be lost")
        if not signature.is_tuple:
            self.computation.root = self.parts.instruction(items[0])
            return
        if not items and self.root is not None:
            self.computation.root = self.root
            return
        whole = self.parts.whole(items)
        if whole is not None:
            self.computation.root = self.parts.instruction(whole)
            return
        operands = [self.parts.instruction(each) for each in items]
        shape = tuple_shape([each.shape for each in operands])
        self.computation.root = self._add(op, shape, "tuple", operands, {})

    def _op(self, op: ir.Operation) -> None:
        attributes = attributes_of(op)
        pending, self.pending = self.pending, None
        if marks.IMPLIED in attributes and self._implied(op, attributes, pending):
            return
        if op.name in self.chains:
            self.chains[op.name](op, attributes)
            return
        rule = BY_OP.get(op.name)
        if rule is None or marks.EMPTY_BARRIER in attributes:
            self._other(op, attributes)
        elif rule.opcode in self.special:
            self.special[rule.opcode](op, attributes)
        else:
            self._plain(op, attributes, rule)

    def _implied(
        self, op: ir.Operation, attributes: dict[str, str], pending: Instruction | None
    ) -> bool:
        """Take apart or put together without an instruction, if that is possible."""
        items = [self._item(operand) for operand in op.operands]
        if op.name.endswith(".get_tuple_element"):
            index = int(attributes["index"].partition(" ")[0])
            self.values[op.result] = self.parts.element(items[0], index)
            return True
        shape = shape_of(str(op.result.type))
        whole = self.parts.whole(items) if items else pending
        if whole is None and not leaves(shape):
            whole = Empty(shape)
        if whole is None:
            return False
        self.values[op.result] = whole
        if marks.ROOT in attributes:
            self.root = self.parts.instruction(whole)
        return True

    def _plain(self, op: ir.Operation, attributes: dict[str, str], rule: Rule) -> None:
        if rule.opcode == "bitcast":
            check_layouts(attributes)
        texts = self._decoded(attributes, rule)
        if rule.region is None:
            self._define(op, rule.opcode, texts, self._shape(op))
            return
        wanted = next(iter(symbols(attributes.get(marks.CALLED, "@region"))), "region")
        wanted = self.signatures[wanted].name if wanted in self.signatures else wanted
        texts[rule.region] = ""
        made = self._define(op, rule.opcode, texts, self._shape(op))
        called = Computation(wanted)
        block = op.regions[0].blocks[0]
        results = [str(each.type) for each in list(block.operations)[-1].operands]
        reader = BodyReader(called, self.signatures, self.regions)
        nothing = [dict[str, str]() for _ in block.arguments]
        reader.read(block, nothing, Signature(wanted, tuple(results)))
        self.regions.append((made, wanted, called))

    def _decoded(
        self, attributes: dict[str, str], rule: Rule, known: frozenset[str] = frozenset()
    ) -> dict[str, str]:
        """Give the attributes of the instruction; refuse what would be lost."""
        region = {marks.CALLED} if rule.region is not None else set[str]()
        for name, text in attributes.items():
            quiet = name in _QUIET or (name == "result_accuracy" and "DEFAULT" in text)
            if name not in rule.uses | known | OF_MLIR | region and not quiet:
                raise ValueError(f"attribute {name} would be lost")
        texts = dict[str, str]()
        for field in rule.fields:
            texts.update(field.decode(attributes))
        return texts

    def _other(self, op: ir.Operation, attributes: dict[str, str]) -> None:
        if marks.EMPTY_BARRIER in attributes and op.name == "mhlo.copy":
            self._define(op, "opt-barrier", {}, self._shape(op))
            return
        raise HloError(place_of(op.location), f"op {op.name} has no form in HLO")

    def _constant(self, op: ir.Operation, attributes: dict[str, str]) -> None:
        rule = BY_OP[op.name]
        self._decoded(attributes, rule, frozenset({"value"}))
        shape = self._shape(op)
        literal = literal_of(attributes["value"], shape)
        self._define(op, "constant", {}, shape, literal=literal)

    def _dot(self, op: ir.Operation, attributes: dict[str, str]) -> None:
        texts = self._decoded(attributes, BY_OP[op.name])
        if op.name.endswith(".dot"):
            rank = len(Shape(shape_of(str(op.operands[0].type))).dimensions)
            texts["lhs_contracting_dims"] = braced([rank - 1])
            texts["rhs_contracting_dims"] = braced([0])
        self._define(op, "dot", texts, self._shape(op))

    def _custom_call(self, op: ir.Operation, attributes: dict[str, str]) -> None:
        called = "called_computations"
        texts = self._decoded(attributes, BY_OP[op.name], frozenset({called}))
        names = [self._signature(each).name for each in symbols(attributes.get(called, ""))]
        if names:
            texts[called] = f"{{{', '.join([f'%{name}' for name in names])}}}"
        self._define(op, "custom-call", texts, self._shape(op))

    def _call(self, op: ir.Operation, attributes: dict[str, str]) -> None:
        self._decoded(attributes, BY_OP[op.name], frozenset({"callee"}))
        signature = self._signature(symbols(attributes["callee"])[0])
        self._define(op, "call", {"to_apply": f"%{signature.name}"}, signature.shape)

    def _barrier(self, op: ir.Operation, attributes: dict[str, str]) -> None:
        texts = self._decoded(attributes, BY_OP[op.name])
        items = [self._item(operand) for operand in op.operands]
        shape = self._shape(op)
        kinds = [shape_of(str(each.type)) for each in op.results]
        if "xla_shape" in attributes:
            given = without_layouts(of_string(attributes["xla_shape"]))
            shape = given if [leaf for _, leaf in leaves(given)] == kinds else shape
        if Shape(shape).elements is None:
            self._define(op, "opt-barrier", texts, shape)
            return
        operand = self.parts.whole_deep(items, shape)
        if operand is None:
            operand = self.parts.tuple_deep(items, shape)
        made = self._add(
            op, shape, "opt-barrier", [self.parts.instruction(operand)], {**texts, **carry_of(op)}
        )
        for result, (path, _) in zip(op.results, leaves(shape), strict=True):
            self.values[result] = Part(made, path)

    def _start(self, op: ir.Operation, attributes: dict[str, str]) -> None:
        self._check_chain(attributes)
        signature = self._signature(symbols(attributes[marks.CALLEE])[0])
        thread = of_string(attributes[marks.THREAD])
        _, _, *context = parts(str(op.result.type))
        operands = [self.parts.instruction(self._item(each)) for each in op.operands]
        shape = tuple_shape(
            [
                tuple_shape([each.shape for each in operands]),
                signature.shape,
                *[shape_of(each) for each in context],
            ]
        )
        texts = {THREAD: quoted(thread)} if thread != MAIN_THREAD else {}
        texts["calls"] = f"%{signature.name}"
        self._define(op, START, texts, shape)

    def _update(self, op: ir.Operation, attributes: dict[str, str]) -> None:
        self._check_chain(attributes)
        operand = self.parts.instruction(self._item(op.operands[0]))
        self._define(op, UPDATE, {}, operand.shape)

    def _done(self, op: ir.Operation, attributes: dict[str, str]) -> None:
        self._check_chain(attributes)
        start = start_of(self.parts.instruction(self._item(op.operands[0])))
        if start is None:
            raise ValueError("its chain has no start in this function")
        elements = Shape(start.shape).elements
        if elements is None or len(elements) < 2:
            raise ValueError("its start has no output")
        self._define(op, DONE, {}, elements[1].text)

    def _check_chain(self, attributes: dict[str, str]) -> None:
        for name in attributes:
            if name not in OF_MLIR | _QUIET | {marks.CALLEE, marks.THREAD}:
                raise ValueError(f"attribute {name} would be lost")

    def _shape(self, op: ir.Operation) -> str:
        shapes = [shape_of(str(each.type)) for each in op.results]
        return shapes[0] if len(shapes) == 1 else tuple_shape(shapes)

    def _define(
        self,
        op: ir.Operation,
        opcode: str,
        attributes: dict[str, str],
        shape: str,
        literal: str | None = None,
    ) -> Instruction:
        """Add the instruction of an op whose results are its elements, or itself."""
        operands = [self.parts.instruction(self._item(each)) for each in op.operands]
        attributes = {**attributes, **carry_of(op)}
        made = self._add(op, shape, opcode, operands, attributes, literal=literal)
        elements = Shape(shape).elements
        results = list(op.results)
        apart = elements is not None and (
            len(results) != 1 or not str(results[0].type).startswith(("tuple<", "!mhlo.async"))
        )
        if elements is not None and opcode in ("call", DONE):
            apart = True
        for at, result in enumerate(results):
            self.values[result] = Part(made, (at,)) if apart else made
        if apart and not results:
            self.pending = made
        if marks.ROOT in op.attributes:
            self.root = made
        return made

    def _add(
        self,
        op: ir.Operation,
        shape: str,
        opcode: str,
        operands: Sequence[Instruction],
        attributes: dict[str, str],
        *,
        literal: str | None = None,
    ) -> Instruction:
        origin = origin_of(op.location)
        attributes = dict(attributes)
        if origin.metadata is not None:
            attributes.setdefault("metadata", origin.metadata)
        valid = origin.name is not None and _NAME.fullmatch(origin.name)
        name = self._name(origin.name if valid and origin.name else opcode)
        made = Instruction(name, shape, opcode, operands, attributes, literal=literal)
        return self.computation.append(made)

    def _item(self, value: ir.Value) -> Item:
        found = self.values.get(value)
        if found is None:
            raise ValueError("its region uses a value from outside")
        return found

    def _signature(self, symbol: str) -> Signature:
        found = self.signatures.get(symbol)
        if found is None:
            raise ValueError(f"there is no function @{symbol}")
        return found

    def _name(self, base: str) -> str:
        stem, name = _COUNT.sub("", base), base
        while name in self.computation.by_name:
            self.counts[stem] = self.counts.get(stem, 0) + 1
            name = f"{stem}.{self.counts[stem]}"
        return name
