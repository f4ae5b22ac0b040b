"""Read modules of MLIR as HLO programs."""

from __future__ import annotations

from collections.abc import Mapping

from sdykit.hlo.attributes import quoted
from sdykit.hlo.errors import HloError
from sdykit.hlo.from_mlir.body import BodyReader
from sdykit.hlo.from_mlir.places import Places
from sdykit.hlo.from_mlir.texts import Regions, Signature, attributes_of, content
from sdykit.hlo.mlir import marks
from sdykit.hlo.mlir.strings import OF_MLIR, decode_carried
from sdykit.hlo.model import MAIN_THREAD, Computation, Module
from sdykit.hlo.model.source import Source
from sdykit.mlir import ModuleOp, ir

_DEFAULTS = frozenset({"[]", "false", "{}"})
_FLAGS = frozenset(
    {
        "jax.uses_shape_polymorphism",
        "mhlo.cross_program_prefetches",
        "mhlo.input_output_alias",
        "mhlo.is_dynamic",
        "mhlo.use_auto_spmd_partitioning",
    }
)
"""Attributes that jaxlib's importer and `jax.export` write even with their default value."""
_LAYOUTS = frozenset(
    {
        "mhlo.xla_entry_computation_parameter_layouts",
        "mhlo.xla_entry_computation_parameter_tiles",
        "mhlo.xla_entry_computation_result_layout",
        "mhlo.xla_entry_computation_result_tiles",
    }
)
_OF_MODULE = frozenset({"sym_name", marks.HEADER, marks.SECTIONS, *marks.COUNTS.values()})
_OF_FUNCTION = frozenset(
    {"arg_attrs", "res_attrs", "function_type", "sym_name", "sym_visibility"}
    | {marks.NAME, marks.THREAD, marks.TUPLE_OF_ONE}
)
_DEBUGGING = frozenset({"jax.result_info", "jax.arg_info"})
"""Attributes with the names that JAX has for results and arguments."""


def from_mlir(module: ir.Module | ModuleOp, source: Source | None = None) -> Module:
    """Translate a module of functions into a program.

    Reads what `to_mlir` and jaxlib's importer write, in StableHLO or MHLO. A function
    becomes a computation, the public `@main` the entry. Several results in MLIR are a
    tuple in HLO. Computations come before those that call them.

    Args:
        module: a valid module; it is not changed.
        source: the text that it was parsed from. Errors, now and later, show places in it;
            without it, they show those that the locations of the ops name.

    Raises:
        HloError: an op, attribute or type has no form in HLO.
    """
    places = Places(module.operation, source)
    try:
        return _ModuleReader(module, places).run()
    finally:
        places.release_ops()


class _ModuleReader:
    def __init__(self, module: ir.Module | ModuleOp, places: Places) -> None:
        self.module = module
        self.places = places
        self.functions = self._functions()
        self.names = self._names()
        self.signatures = {
            symbol: self._signature(op, self.names[symbol]) for symbol, op in self.functions.items()
        }
        self.result = Module(self._module_name(), source=places)
        self.regions: Regions = []

    def run(self) -> Module:
        result = self.result
        self._header()
        read = {name: self._function(op) for name, op in self.functions.items()}
        for computation in read.values():
            result.add_computation(computation)
        result.entry = read[marks.MAIN]
        self._name_regions()
        result.set_order(_callees_first(result))
        return result

    def _functions(self) -> dict[str, ir.Operation]:
        found = dict[str, ir.Operation]()
        for op in [each.operation for each in self.module.body]:
            if op.name != "func.func":
                raise HloError(self.places.of(op), f"op {op.name} has no form in HLO")
            symbol = ir.StringAttr(op.attributes["sym_name"]).value
            if not len(op.regions[0].blocks):
                message = f"function @{symbol} has no body, and no form in HLO"
                raise HloError(self.places.of(op), message)
            found[symbol] = op
        if marks.MAIN not in found:
            message = "a program needs a function @main, its entry"
            raise HloError(self.places.of(self.module.operation), message)
        return found

    def _names(self) -> dict[str, str]:
        names = dict[str, str]()
        for symbol, op in self.functions.items():
            names[symbol] = symbol
            if marks.NAME in op.attributes:
                names[symbol] = ir.StringAttr(op.attributes[marks.NAME]).value
        if len(set(names.values())) < len(names):
            return {symbol: symbol for symbol in names}
        return names

    def _module_name(self) -> str:
        attributes = self.module.operation.attributes
        known = "sym_name" in attributes
        return ir.StringAttr(attributes["sym_name"]).value if known else "module"

    def _header(self) -> None:
        op = self.module.operation
        found = dict[str, str]()
        for name, text in attributes_of(op).items():
            quiet = name in _LAYOUTS or (name in _FLAGS and text in _DEFAULTS)
            if name not in _OF_MODULE and not quiet:
                message = f"attribute {name} of the module has no form in HLO"
                raise HloError(self.places.of(op), message)
        if marks.HEADER in op.attributes:
            for each in ir.ArrayAttr(op.attributes[marks.HEADER]):
                name, _, text = ir.StringAttr(each).value.partition("=")
                found[name] = text
        for name, use in marks.COUNTS.items():
            count = ir.IntegerAttr(op.attributes[use]).value if use in op.attributes else 1
            if count != 1:
                found[name] = str(count)
        order = {name: at for at, name in enumerate(marks.HEADER_ORDER)}
        for name in sorted(found, key=lambda name: order.get(name, len(order))):
            self.result.attributes[name] = found[name]
        if marks.SECTIONS in op.attributes:
            tables = ir.DictAttr(op.attributes[marks.SECTIONS])
            for title in ("FileNames", "FunctionNames", "FileLocations", "StackFrames"):
                if title in tables:
                    rows = [ir.StringAttr(row).value for row in ir.ArrayAttr(tables[title])]
                    self.result.sections[title] = rows

    def _signature(self, op: ir.Operation, name: str) -> Signature:
        kind = ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value)
        results = tuple([str(each) for each in kind.results])
        return Signature(name, results, marks.TUPLE_OF_ONE in op.attributes)

    def _function(self, op: ir.Operation) -> Computation:
        symbol = ir.StringAttr(op.attributes["sym_name"]).value
        computation = Computation(self.names[symbol], offset=self.places.number(op))
        for name in attributes_of(op):
            if name not in _OF_FUNCTION:
                message = f"attribute {name} of function @{symbol} has no form in HLO"
                raise HloError(self.places.of(op), message)
        self._check_results(op, symbol)
        if marks.THREAD in op.attributes:
            thread = ir.StringAttr(op.attributes[marks.THREAD]).value
            if thread != MAIN_THREAD:
                computation.attributes[marks.THREAD] = quoted(thread)
        reader = BodyReader(computation, self.signatures, self.regions, self.places)
        reader.read(op.regions[0].blocks[0], self._arguments(op, symbol), self.signatures[symbol])
        return computation

    def _check_results(self, op: ir.Operation, symbol: str) -> None:
        if "res_attrs" not in op.attributes:
            return
        for each in ir.ArrayAttr(op.attributes["res_attrs"]):
            for named in ir.DictAttr(each):
                if named.name not in _DEBUGGING:
                    message = f"attribute {named.name} of a result of @{symbol} has no form in HLO"
                    raise HloError(self.places.of(op), message)

    def _arguments(self, op: ir.Operation, symbol: str) -> list[Mapping[str, str]]:
        count = len(op.regions[0].blocks[0].arguments)
        if "arg_attrs" not in op.attributes:
            return [{} for _ in range(count)]
        found = list[Mapping[str, str]]()
        for each in ir.ArrayAttr(op.attributes["arg_attrs"]):
            texts = {named.name: str(named.attr) for named in ir.DictAttr(each)}
            for name in texts:
                if name not in OF_MLIR and name not in _DEBUGGING and name != marks.ROOT:
                    message = f"attribute {name} of an argument of @{symbol} has no form in HLO"
                    raise HloError(self.places.of(op), message)
            attributes = decode_carried(texts)
            found.append({**attributes, marks.ROOT: ""} if marks.ROOT in texts else attributes)
        return found

    def _name_regions(self) -> None:
        """Let ops with regions call an equal computation, or a new one for the region."""
        result = self.result
        known = {(each.name, content(each)): each for each in result}
        added = dict[object, Computation]()
        for op, wanted, computation in self.regions:
            found = content(computation)
            called = known.get((wanted, found)) or added.get(found)
            if called is None:
                computation.name = result.fresh_name(wanted)
                called = added[found] = result.add_computation(computation)
            op.attributes["to_apply"] = f"%{called.name}"


def _callees_first(module: Module) -> list[Computation]:
    """Return the computations in their order, except that callees come before callers."""
    order = dict[Computation, None]()
    for first in module:
        stack = [(first, iter(_called(first)))]
        while stack:
            computation, rest = stack[-1]
            following = next((each for each in rest if each not in order), None)
            if following is None:
                order[computation] = None
                stack.pop()
            elif all(each is not following for each, _ in stack):
                stack.append((following, iter(_called(following))))
            else:
                message = f"computation %{following.name} calls itself"
                raise HloError(following.location, message)
    return list(order)


def _called(computation: Computation) -> list[Computation]:
    return [called for op in computation for called in op.called()]
