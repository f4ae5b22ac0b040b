"""Write HLO programs as modules of MLIR."""

from __future__ import annotations

from sdykit.core.diagnostics import capture
from sdykit.hlo.async_ops import START
from sdykit.hlo.errors import HloError
from sdykit.hlo.mlir import marks
from sdykit.hlo.mlir.locations import location_of
from sdykit.hlo.mlir.strings import encode_carried
from sdykit.hlo.mlir.types import results_of, type_of
from sdykit.hlo.model import MAIN_THREAD, Computation, Instruction, Module
from sdykit.hlo.shape import Shape
from sdykit.hlo.to_mlir.body import BodyWriter
from sdykit.hlo.to_mlir.ops import Ops
from sdykit.hlo.verify import check
from sdykit.mlir import ir


def to_mlir(module: Module, context: ir.Context) -> ir.Module:
    """Translate a program into a module that the dialects' verifiers accept.

    Each computation becomes a function, the entry `@main`. Asynchronous chains become
    `mhlo.async_start`, `async_update` and `async_done`, other instructions ops of StableHLO,
    or of MHLO where StableHLO has none. Layouts are left out. `from_mlir` translates the
    module back into the same program.

    Args:
        module: a program; it is not changed.
        context: the context of the new module, from `sdykit.mlir.make_context`.

    Raises:
        HloError: the program is invalid, or has an opcode, attribute or shape that no op,
            attribute or type stands for.
    """
    check(module)
    with context:
        return _ModuleWriter(module, context).run()


class _ModuleWriter:
    def __init__(self, module: Module, context: ir.Context) -> None:
        self.module = module
        self.context = context
        self.ops = Ops(context)
        self.unknown = ir.Location.unknown(context)
        self.result = ir.Module.create(loc=self.unknown)
        self.made = dict[ir.Operation, Instruction]()
        self.symbols = self._symbols()
        calls = [op.called() for each in module for op in each if op.opcode == START]
        self.asynchronous = {called for each in calls for called in each}

    def run(self) -> ir.Module:
        module, attributes = self.module, self.result.operation.attributes
        attributes["sym_name"] = self.ops.string(module.name)
        self._header(attributes)
        for computation in module:
            self._function(computation)
        self._verify()
        return self.result

    def _symbols(self) -> dict[Computation, str]:
        names = {each: each.name for each in self.module if each.name != marks.MAIN}
        taken = {*names.values(), marks.MAIN}
        for each in self.module:
            if each is self.module.entry:
                names[each] = marks.MAIN
            elif each not in names:
                count = 1
                while f"{marks.MAIN}.{count}" in taken:
                    count += 1
                names[each] = f"{marks.MAIN}.{count}"
        return names

    def _header(self, attributes: ir.OpAttributeMap) -> None:
        lines = list[str]()
        for name, text in self.module.attributes.items():
            if name not in marks.HEADER_ORDER:
                message = f"attribute {name} of the module has no form in MLIR"
                raise HloError(self.module.entry.location, message)
            if name in marks.COUNTS and text.isdecimal():
                kind = ir.IntegerType.get_signless(32, self.context)
                attributes[marks.COUNTS[name]] = ir.IntegerAttr.get(kind, int(text))
            else:
                lines.append(f"{name}={text}")
        if lines:
            attributes[marks.HEADER] = self._strings(lines)
        if self.module.sections:
            tables = dict[str, ir.Attribute]()
            for title, rows in self.module.sections.items():
                tables[title] = self._strings(rows)
            attributes[marks.SECTIONS] = ir.DictAttr.get(tables, self.context)

    def _strings(self, texts: list[str]) -> ir.ArrayAttr:
        return ir.ArrayAttr.get([self.ops.string(text) for text in texts], self.context)

    def _function(self, computation: Computation) -> None:
        for op in computation:
            try:
                type_of(op.shape)
            except ValueError as error:
                raise HloError(op.location, f"{op.opcode} has no form in MLIR: {error}") from error
        parameters = [type_of(op.shape) for op in computation.parameters]
        results = results_of(computation.root.shape)
        attributes = self._attributes(computation, parameters, results)
        at = ir.InsertionPoint(self.result.body)
        location = self.unknown
        made = self.ops.make("func.func", [], [], attributes, location=location, at=at, regions=1)
        locations = [
            location_of(each.name, each.attributes.get("metadata"), self.context)
            for each in computation.parameters
        ]
        block = made.regions[0].blocks.append(*self.ops.types(parameters), arg_locs=locations)
        BodyWriter(self.ops, self.symbols, self.made).write(computation, block, "func.return")

    def _attributes(
        self, computation: Computation, parameters: list[str], results: list[str]
    ) -> dict[str, ir.Attribute]:
        ops, symbol = self.ops, self.symbols[computation]
        kind = f"({', '.join(parameters)}) -> ({', '.join(results)})"
        found: dict[str, ir.Attribute] = {
            "sym_name": ops.string(symbol),
            "function_type": ops.attribute(kind),
        }
        if computation is not self.module.entry:
            found["sym_visibility"] = ops.string("private")
        if symbol != computation.name:
            found[marks.NAME] = ops.string(computation.name)
        for name in computation.attributes:
            if name != marks.THREAD:
                message = f"attribute {name} of computation %{computation.name} has no form in MLIR"
                raise HloError(computation.location, message)
        thread = computation.execution_thread
        if thread != MAIN_THREAD or computation in self.asynchronous:
            found[marks.THREAD] = ops.string(thread)
        elements = Shape(computation.root.shape).elements
        if elements is not None and len(elements) == 1:
            found[marks.TUPLE_OF_ONE] = ops.unit
        arguments = [self._argument(op, computation) for op in computation.parameters]
        if any(len(each) for each in arguments):
            found["arg_attrs"] = ir.ArrayAttr.get(arguments, self.context)
        return found

    def _argument(self, op: Instruction, computation: Computation) -> ir.DictAttr:
        found = BodyWriter.common(op)
        attributes = {
            name: self.ops.attribute(text) for name, text in encode_carried(found).items()
        }
        if op is computation.root and type_of(op.shape) == "tuple<>":
            attributes[marks.ROOT] = self.ops.unit
        return ir.DictAttr.get(attributes, self.context)

    def _verify(self) -> None:
        """Verify the module; report an invalid op at the instruction it was written for."""
        found = list[str]()
        with capture(self.context, lambda diagnostic: found.append(diagnostic.message)):
            if _is_valid(self.result.operation):
                return
            first = next((each for each in self.made if not _is_valid(each)), None)
        op = self.made[first] if first is not None else self.module.entry.root
        raise HloError(op.location, f"{op.opcode} is invalid in MLIR: {found[0] if found else ''}")


def _is_valid(op: ir.Operation) -> bool:
    try:
        return op.verify()
    except ir.MLIRError:
        return False
