"""Specs of calls: their fields, and the compilers of the kinds of programs that they name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from sdykit.bridge.errors import BridgeError

if TYPE_CHECKING:
    from sdykit.bridge.kernels.in_python import DescribedProgram, PythonProgram
    from sdykit.sparsecore.codegen import ObjectCache, Program

VERSION = 1
"""Version of specs; one of another version is refused, since it may mean something else."""

ALIASES = "aliases"
"""Field of a call: pairs of an operand and the result in its buffer."""
ARRAYS = "arrays"
"""Field of a call: how many operands and results it has."""
TABLE = "table"
"""Field of a call: the name of the table or stack that the program is for."""
RETURNS_STATUS = "returns_status"
"""Field of a call: whether the status is its last result."""
RECORDED = "recorded"
"""Field of a call: how many of its last operands are not the program's, but recorded of each run."""
ASYNCHRONOUS = "asynchronous"
"""Field of a call: whether it returns before the program has ended, so that other work runs meanwhile."""
FIGURES = "figures"
"""Field of a call: how the figures of a run are computed from what is recorded of it."""
WORKSPACES = "workspaces"
"""Field of a call: the sizes of each workspace, whose memory is provided to a run for several devices."""
WHERE = "where"
"""Field of a call: the prefix of messages. Programs that differ in nothing else are one."""
OF_CALLS = (
    *(ALIASES, ARRAYS, ASYNCHRONOUS, FIGURES, RECORDED, RETURNS_STATUS, TABLE, WHERE),
    WORKSPACES,
)
"""The fields of a call; those of its program are all others."""
COUNTERS = "counters"
"""Field of a spec: whether runs are counted: by the program, in its argument of this name, or from what
is recorded of them."""
SCOPE_TIMES = "scope_times"
"""The name of the argument in which a program that counts notes when its scopes begin and end."""

Spec = Mapping[str, Any]
Compiled: TypeAlias = "Program | DescribedProgram | PythonProgram"
Compiler = Callable[[Spec, "ObjectCache | None"], Compiled]

_compilers: dict[str, Compiler] = {}


def register_kind(kind: str, compiler: Compiler) -> None:
    """Register the compiler of a kind of specs.

    Args:
        kind: the value of `kind` in the specs.
        compiler: a function of a spec, as the call had it, and of the cache that processes share,
            or None. It returns the compiled tile program that the spec stands for:
            `sdykit.sparsecore.codegen` has `compile_module`, and `compile_source`, which builds a
            program only if it has to be compiled. It may return a function of Python instead, as
            `sdykit.bridge.kernels.in_python.PythonProgram`, or a `DescribedProgram`. It may be called on a thread of XLA, whose
            `threading.local` ends with the thread.

    Raises:
        BridgeError: the kind has another compiler already.
    """
    if _compilers.setdefault(kind, compiler) is not compiler:
        raise BridgeError(
            f"register_kind: kind {kind!r} has another compiler already; expected a kind other than "
            f"{', '.join(map(repr, sorted(_compilers)))}"
        )


def check_spec(spec: Spec) -> None:
    """Check that a spec is of a known version and kind.

    Raises:
        BridgeError: its version or kind is unknown.
    """
    if spec.get("version") != VERSION:
        raise BridgeError(f"spec: version is {spec.get('version')!r}; expected {VERSION}")
    if spec.get("kind") not in _compilers:
        known = ", ".join(map(repr, sorted(_compilers)))
        raise BridgeError(f"spec: kind is {spec.get('kind')!r}; expected one of {known}")


def compile_kind(spec: Spec, cache: ObjectCache | None) -> Compiled:
    """Return the compiled program of a spec whose kind is known."""
    return _compilers[spec["kind"]](spec, cache)


@dataclass(frozen=True)
class Call:
    """The fields of a spec that belong to a call, and not to the program that it runs.

    Attributes:
        operands: the number of operands, without those that are recorded.
        results: the number of results.
        aliases: pairs of an operand and the result in its buffer.
        returns_status: whether the last result is the status.
        where: the prefix of messages; "": none.
        recorded: the number of the last operands, which the program does not take: they are recorded
            of each run.
        table: the name of the table or stack that the program is for; "": none.
        asynchronous: whether the call returns before the program has ended.
        figures: how figures are computed from them, see `sdykit.sparsecore.counts.records.plan_of`;
            None: they are copied.
        workspaces: the sizes of each workspace of a run for several devices.
    """

    operands: int
    results: int
    aliases: Sequence[tuple[int, int]] = ()
    returns_status: bool = False
    where: str = ""
    recorded: int = 0
    table: str = ""
    asynchronous: bool = False
    figures: Mapping[str, Any] | None = None
    workspaces: Sequence[Sequence[int]] = ()


def split_spec(fields: Mapping[str, Any]) -> tuple[Spec, Call]:
    """Return the spec of a program, and the call of it that `fields` hold as well.

    Raises:
        BridgeError: a field of the call is not what it should be.
    """
    arrays, aliases = fields.get(ARRAYS), fields.get(ALIASES, [])
    where, recorded = fields.get(WHERE, ""), fields.get(RECORDED, 0)
    table = fields.get(TABLE, "")
    if not _is_pair(arrays):
        raise BridgeError(
            f"spec: {ARRAYS} is {arrays}; expected two numbers, of operands and of results"
        )
    if not isinstance(aliases, list) or not all(map(_is_pair, aliases)):
        raise BridgeError(
            f"spec: {ALIASES} is {aliases}; expected pairs of an operand and a result"
        )
    for name, text in ((WHERE, where), (TABLE, table)):
        if not isinstance(text, str):
            raise BridgeError(f"spec: {name} is {text}; expected a string")
    operands, results = arrays
    if type(recorded) is not int or not 0 <= recorded <= operands:
        raise BridgeError(
            f"spec: {RECORDED} is {recorded}; expected how many of {operands} operands are recorded"
        )
    pairs = [(operand, result) for operand, result in aliases]
    returns_status = fields.get(RETURNS_STATUS) is True
    is_asynchronous = fields.get(ASYNCHRONOUS) is True
    figures = fields.get(FIGURES)
    if figures is not None and not isinstance(figures, dict):
        raise BridgeError(f"spec: {FIGURES} is {figures}; expected an object")
    call = Call(
        operands - recorded,
        results,
        pairs,
        returns_status,
        where,
        recorded,
        table,
        is_asynchronous,
        figures,
        fields.get(WORKSPACES, []),
    )
    return {name: value for name, value in fields.items() if name not in OF_CALLS}, call


def _is_pair(found: object) -> TypeGuard[list[int]]:
    return (
        isinstance(found, list)
        and [type(number) for number in found] == [int, int]
        and all(number >= 0 for number in found)
    )
