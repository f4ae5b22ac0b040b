"""Read the MPMD programs in a module as data to draw."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, cast

from sdykit.core import FUNC, fail, meshes_of, symbol_name
from sdykit.core.diagnostics import file_location
from sdykit.core.mpmd.program import (
    ARG_ATTRS,
    CPU_SUFFIX,
    FRAGMENT,
    RES_ATTRS,
    TOPOLOGY,
    attributes_of,
    body_of,
    functions_with,
    is_cpu_mesh,
    is_public,
    parent_of,
    terminator,
    topology_of,
)
from sdykit.dialects import mpmd
from sdykit.mlir import ModuleOp, ir
from sdykit.viz.mpmd_view.model import NO_MESH, Lane, Loop, Marks, Port, Program, Source, Step
from sdykit.viz.mpmd_view.steps import Carriers, check_meshes, read_step, with_ticks
from sdykit.viz.mpmd_view.values import Types, marks_of

_FOR = "mpmd.for"
_NO_MARKS = Marks()
_MAX_NAMED = 5
"""The maximum number of functions that an error names."""


def read_programs(module: ModuleOp) -> list[Program]:
    """Read all functions of a module that have a topology, in program order.

    Raises:
        PassFailure: there is no such function, an op is on a mesh that the topology lacks, or
            an attribute is malformed; a located error has been emitted.
    """
    funcs = functions_with(module, TOPOLOGY)
    if not funcs:
        _fail_without_program(module)
    names = ir.AsmState(module.operation)
    known: dict[ir.Operation, _Surroundings] = {}
    programs = []
    for func in funcs:
        parent = parent_of(func)
        if parent not in known:
            known[parent] = _Surroundings(cast(ModuleOp, parent.opview), names)
        programs.append(_Reader(func, known[parent]).read())
    return programs


def _fail_without_program(module: ModuleOp) -> NoReturn:
    functions = _functions(module)
    found = ", ".join(f"@{name}" for name in list(functions)[:_MAX_NAMED])
    more = ", ..." if len(functions) > _MAX_NAMED else ""
    # An empty module has no function with a place.
    where = next(iter(functions.values()), module.operation).location
    fail(
        where,
        f"expected an MPMD program, a function with a body and the attribute '{TOPOLOGY}';"
        f" the module has {f'only {found}{more}' if found else 'no functions'}",
    )


def _functions(module: ModuleOp) -> dict[str, ir.Operation]:
    functions = [op.operation for op in module.body.operations if op.operation.name == FUNC]
    return {symbol_name(func): func for func in functions}


class _Surroundings:
    """The parts of a module that its functions share."""

    def __init__(self, module: ModuleOp, names: ir.AsmState) -> None:
        self.names = names
        self.meshes = meshes_of(module)
        self.carriers = Carriers(_functions(module))


class _Reader:
    """Reads a function: visits its ops in order, and keeps the source of each value."""

    def __init__(self, func: ir.Operation, surroundings: _Surroundings) -> None:
        topology = topology_of(func)
        assert topology is not None  # The function was chosen for it.
        self._func = func
        self._surroundings = surroundings
        self._topology = topology
        self._types = Types(surroundings.meshes)
        self._sources: dict[ir.Value, Source | None] = {}
        self._steps: list[Step] = []
        self._loops: list[Loop] = []

    def read(self) -> Program:
        """Return the program of the function."""
        block = body_of(self._func)
        arguments = self._arguments(block)
        check_meshes(self._func, (port.type.lane for port in arguments), self._topology)
        self._read_block(block)
        results = self._results(block)
        place = file_location(self._func.location)
        return Program(
            name=symbol_name(self._func),
            lanes=self._lanes([*arguments, *results]),
            arguments=tuple(arguments),
            steps=with_ticks(self._steps),
            results=tuple(results),
            public=is_public(self._func),
            place=None if place is None else str(place),
            loops=tuple(self._loops),
        )

    def _arguments(self, block: ir.Block) -> list[Port]:
        attributes = attributes_of(self._func, ARG_ATTRS, len(block.arguments))
        ports = []
        for number, value in enumerate(block.arguments):
            self._sources[value] = Source(None, number)
            marks = marks_of(self._func, attributes[number], f"argument #{number}")
            location = value.location
            label = location.name_str if isinstance(location, ir.NameLoc) else None
            ports.append(self._port(value, marks, label=label))
        return ports

    def _results(self, block: ir.Block) -> list[Port]:
        values = terminator(block).operands
        attributes = attributes_of(self._func, RES_ATTRS, len(values))
        return [
            self._port(
                value,
                marks_of(self._func, attributes[number], f"result #{number}"),
                self._sources[value],
            )
            for number, value in enumerate(values)
        ]

    def _read_block(self, block: ir.Block) -> None:
        for view in list(block.operations)[:-1]:
            op = view.operation
            if op.name == _FOR:
                self._read_loop(op)
            else:
                self._read_op(op)

    def _read_loop(self, op: ir.Operation) -> None:
        """Read the body of a loop once; its arguments and results have the sources around it."""
        body = body_of(op)
        first = len(self._steps)
        # The last argument is the index, which has no source.
        sources = [*(self._sources[value] for value in op.operands), None]
        self._sources.update(zip(body.arguments, sources, strict=True))
        self._read_block(body)
        returned = terminator(body).operands
        self._sources.update(
            (result, self._sources[value])
            for result, value in zip(op.results, returned, strict=True)
        )
        count = ir.IntegerAttr(op.attributes["iterations"]).value
        self._loops.append(Loop(first, len(self._steps), f"for, {count} times"))

    def _read_op(self, op: ir.Operation) -> None:
        carrier = self._surroundings.carriers.of(op)
        values = [*op.operands, *self._captured(op)]
        inputs = [
            self._port(
                value,
                carrier.inputs[number] if carrier else _NO_MARKS,
                self._sources[value],
            )
            for number, value in enumerate(values)
        ]
        outputs = [
            self._port(value, carrier.outputs[number] if carrier else _NO_MARKS)
            for number, value in enumerate(op.results)
        ]
        number = len(self._steps)
        self._sources |= {value: Source(number, at) for at, value in enumerate(op.results)}
        self._steps.append(read_step(op, carrier, inputs, outputs, self._topology))

    def _captured(self, op: ir.Operation) -> list[ir.Value]:
        """List the values from outside that an op uses in its regions, each once."""
        if op.name == FRAGMENT or not len(op.regions):
            return []
        found: dict[ir.Value, None] = {}

        def collect(inner: ir.Operation) -> ir.WalkResult:
            if inner != op:
                found.update((each, None) for each in inner.operands if each in self._sources)
            return ir.WalkResult.ADVANCE

        op.walk(collect)
        return list(found)

    def _port(
        self,
        value: ir.Value,
        marks: Marks,
        source: Source | None = None,
        label: str | None = None,
    ) -> Port:
        name = value.get_name(self._surroundings.names)
        return Port(name, self._types.of(value), marks, source, label)

    def _lanes(self, ports: list[Port]) -> tuple[Lane, ...]:
        """Return the lanes: `NO_MESH` if used, then the meshes, each CPU mesh after its own."""
        lanes = {
            each.name: Lane(each.name, _axes(each), is_cpu_mesh(each.name))
            for each in self._topology.meshes
        }
        ordered: dict[str, Lane] = {}
        used = {port.type.lane for port in ports}
        used.update(lane for step in self._steps for lane in step.lanes)
        if NO_MESH in used:
            ordered[NO_MESH] = Lane(NO_MESH)
        for name in sorted(lanes, key=_by_owner(list(lanes))):
            ordered[name] = lanes[name]
        return tuple(ordered.values())


def _axes(named: mpmd.NamedMeshAttr) -> tuple[tuple[str, int], ...]:
    return tuple((axis.name, axis.size) for axis in named.mesh.axes)


def _by_owner(names: list[str]) -> Callable[[str], tuple[int, bool]]:
    """Return a sort key that puts `m/cpu` after `m`, and keeps the order of other meshes."""

    def key(name: str) -> tuple[int, bool]:
        owner = name.removesuffix(CPU_SUFFIX)
        return names.index(owner if owner in names else name), name != owner

    return key
