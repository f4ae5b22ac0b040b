"""Read an op of an MPMD program as a step to draw."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sdykit.core import fail
from sdykit.core.diagnostics import file_location
from sdykit.core.mpmd.origins import origins_name
from sdykit.core.mpmd.program import (
    ARG_ATTRS,
    FRAGMENT,
    FRAGMENT_CALL,
    RES_ATTRS,
    TRANSFER,
    attributes_of,
    string,
)
from sdykit.dialects import mpmd
from sdykit.dialects.names import callee_name
from sdykit.mlir import ir
from sdykit.viz.mpmd_view.model import NO_MESH, Body, Kind, Marks, Port, Step
from sdykit.viz.mpmd_view.values import marks_of, shown

_MOVES = (TRANSFER, "mpmd.assign", "mpmd.unassign")
"""The ops that move a value from one lane to another."""

_CALL = "mpmd.call"
_NAMED_COMPUTATION = "mpmd.named_computation"
_STAGE = "stage_id"
_COUNTER = "call_counter"
_INFERRED_BY = "mpmd.inferred_by"
_REMAT = "remat"
_RESERVED = ("xla_tpu_user_reserved_hbm_bytes", "reserved_hbm_bytes")
_WITH_FIELDS = (
    *("origin", "mesh_name", "callee", ARG_ATTRS, RES_ATTRS),
    *(_STAGE, _COUNTER, _INFERRED_BY, _REMAT),
)
"""The attributes of fragments that `Step` has fields for."""
_RETURNS = ("mpmd.return", "func.return", "stablehlo.return")
_MAX_FREQUENT = 6


@dataclass(frozen=True)
class Carrier:
    """The op with the attributes of a fragment: itself, or the function that a call calls."""

    op: ir.Operation
    """The fragment or the function."""
    inputs: tuple[Marks, ...]
    """The marks of its arguments."""
    outputs: tuple[Marks, ...]
    """The marks of its results."""
    body: Body
    """The ops inside it."""


class Carriers:
    """Finds the carriers of fragments and calls; each function is read once."""

    def __init__(self, functions: Mapping[str, ir.Operation]) -> None:
        self._functions = functions
        """The functions of the module by name."""
        self._known: dict[str, Carrier] = {}

    def of(self, op: ir.Operation) -> Carrier | None:
        """Return the carrier of a fragment or fragment call; None for other ops.

        Raises:
            PassFailure: an attribute is malformed; a located error has been emitted.
        """
        if op.name == FRAGMENT:
            return _carrier(op, len(op.operands), len(op.results))
        if op.name != FRAGMENT_CALL:
            return None
        name = _callee(op)
        assert name is not None
        if name not in self._known:
            counts = len(op.operands), len(op.results)
            self._known[name] = _carrier(self._functions[name], *counts)
        return self._known[name]


def _carrier(op: ir.Operation, inputs: int, outputs: int) -> Carrier:
    arguments = attributes_of(op, ARG_ATTRS, inputs)
    results = attributes_of(op, RES_ATTRS, outputs)
    return Carrier(
        op,
        tuple(marks_of(op, each, f"argument #{at}") for at, each in enumerate(arguments)),
        tuple(marks_of(op, each, f"result #{at}") for at, each in enumerate(results)),
        _body(op),
    )


def _body(op: ir.Operation) -> Body:
    """Count the ops in the regions of an op, without terminators."""
    names: Counter[str] = Counter()

    def count(inner: ir.Operation) -> ir.WalkResult:
        names[inner.name] += 1
        return ir.WalkResult.ADVANCE

    op.walk(count)
    for name in (op.name, *_RETURNS):
        del names[name]
    return Body(names.total(), tuple(names.most_common(_MAX_FREQUENT)))


def read_step(
    op: ir.Operation,
    carrier: Carrier | None,
    inputs: Sequence[Port],
    outputs: Sequence[Port],
    topology: mpmd.TopologyAttr,
) -> Step:
    """Return the step of an op.

    Args:
        op: the op, which is not a loop.
        carrier: the carrier of its marks, if it is a fragment or fragment call.
        inputs: its operands, then the values that its regions use.
        outputs: its results.
        topology: the topology of the function around it.

    Raises:
        PassFailure: it is on a mesh that the topology lacks; a located error has been emitted.
    """
    lanes = _lanes(op, inputs, outputs)
    check_meshes(op, lanes, topology)
    kind: Kind = "transfer" if op.name in _MOVES else "other" if carrier is None else "fragment"
    place = file_location(op.location)
    step = Step(
        kind=kind,
        op=op.name,
        label=_label(op),
        lanes=lanes,
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        place=None if place is None else str(place),
        callee=_callee(op),
    )
    if carrier is None:
        return replace(step, others=_others(op, "callee"))
    reserved = _reserved(carrier.op)
    return replace(
        step,
        origins=tuple((each.user_name, each.transpose_count) for each in _origins(op)),
        stage=_integer(op, _STAGE),
        call_counter=_integer(op, _COUNTER),
        body=carrier.body,
        reserved=None if reserved is None else _integer(carrier.op, reserved),
        reserved_attribute=reserved,
        inferred_by=_inferred_by(op),
        remat=_REMAT in op.attributes,
        others=_others(op, *_WITH_FIELDS, *_RESERVED),
    )


def check_meshes(op: ir.Operation, names: Iterable[str], topology: mpmd.TopologyAttr) -> None:
    """Check that the lanes of an op are meshes of the topology.

    The verifier does so where fragments or transfers have values.

    Raises:
        PassFailure: the topology lacks one; a located error has been emitted.
    """
    for name in names:
        if name != NO_MESH and name not in topology.names:
            known = ", ".join(f'"{each}"' for each in topology.names)
            fail(op, f'is on mesh "{name}", which the topology lacks; it has {known}')


def _lanes(op: ir.Operation, inputs: Sequence[Port], outputs: Sequence[Port]) -> tuple[str, ...]:
    if op.name in (FRAGMENT, FRAGMENT_CALL):
        return (string(op, "mesh_name"),)
    if op.name in _MOVES:
        return inputs[0].type.lane, outputs[0].type.lane
    lanes = dict.fromkeys(port.type.lane for port in (*inputs, *outputs))
    # A call may read and write several meshes, and tokens or indices besides.
    return tuple(lane for lane in lanes if lane != NO_MESH) or (NO_MESH,)


def _label(op: ir.Operation) -> str:
    if op.name in (FRAGMENT, FRAGMENT_CALL):
        return origins_name(_origins(op))
    if op.name == _NAMED_COMPUTATION:
        return origins_name([mpmd.UserOriginAttr.of(op.attributes["origin"])])
    name = op.name.removeprefix("mpmd.")
    callee = _callee(op)
    return name if callee is None else f"{name} @{callee}"


def _origins(op: ir.Operation) -> list[mpmd.UserOriginAttr]:
    return [mpmd.UserOriginAttr.of(each) for each in ir.ArrayAttr(op.attributes["origin"])]


def _callee(op: ir.Operation) -> str | None:
    return callee_name(op) if op.name in (FRAGMENT_CALL, _CALL) else None


def _integer(op: ir.Operation, name: str) -> int | None:
    attribute = op.attributes.get(name)
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None


def _reserved(op: ir.Operation) -> str | None:
    return next((name for name in _RESERVED if name in op.attributes), None)


def _inferred_by(op: ir.Operation) -> tuple[str, ...]:
    passes = op.attributes.get(_INFERRED_BY)
    if not isinstance(passes, ir.ArrayAttr):
        return ()
    return tuple(each.value for each in passes if isinstance(each, ir.StringAttr))


def _others(op: ir.Operation, *read: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, shown(op.attributes[name])) for name in op.attributes if name not in read)


def with_ticks(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps with their `tick`, which models the order of steps, not their time.

    A fragment takes one tick. It starts when all earlier fragments on its mesh and the steps
    that produce its operands are done. Transfers take no time. A transfer comes after its
    producer and after all earlier fragments on its two meshes, so that delayed transfers are
    drawn later.
    """
    busy: dict[str, int] = defaultdict(int)
    """For each lane the last tick that is taken."""
    done: list[int] = []
    """For each step the tick in which it is done."""
    result = []
    for step in steps:
        sources = [port.source.step for port in step.inputs if port.source is not None]
        ready = [done[number] for number in sources if number is not None]
        tick = max([*ready, *(busy[lane] for lane in step.lanes)], default=0)
        if step.kind != "transfer":
            tick += 1
            busy.update(dict.fromkeys(step.lanes, tick))
        done.append(tick)
        result.append(replace(step, tick=tick))
    return tuple(result)
