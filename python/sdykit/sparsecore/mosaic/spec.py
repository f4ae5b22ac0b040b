"""What a compiled JAX program carries of a kernel: its module, the chip, and how it is to run."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

from sdykit.sparsecore.errors import SparseCoreError, shown, suggestion

KIND: Final = "mosaic"
"""The kind of these specs."""

Mode = Literal["check", "fast", "reference"]
"""How a kernel runs: compiled with all checks, compiled with those of bounds and deadlocks only, or op by
op, with all checks."""

Races = Literal["error", "warn", "off"]
"""What a data race is."""

Order = Literal["lockstep", "subcore"] | int
"""The order in which subcores advance: together, each as far as it goes, or drawn with a seed."""

Uninitialized = Literal["nan", "zero"]
"""What memory holds that was never written."""

OutOfBounds = Literal["raise", "uninitialized"]
"""What a read out of bounds is: an error, or what memory holds that was never written."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class MosaicChip:
    """The numbers of a chip that a kernel depends on.

    Attributes:
        name: its name, for messages.
        cores: SparseCores of a device.
        subcores: vector subcores of a SparseCore.
        lanes: elements of 32 bits in a vector register.
        vmem_bytes: the VMEM of a vector subcore.
        granule: the smallest piece of HBM that a transfer moves, in bytes.
    """

    name: str
    cores: int
    subcores: int
    lanes: int
    vmem_bytes: int
    granule: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class MosaicSpec:
    """A kernel, and how it is to run.

    Attributes:
        name: the name of the kernel, for messages and recordings.
        module: the text of its canonical module, with locations.
        operands: how many of its arrays are operands; the rest are results.
        chip: the chip that runs it.
        mode: how it runs.
        races: what a data race is.
        order: the order in which subcores advance.
        uninitialized: what memory holds that was never written.
        out_of_bounds: what a read out of bounds is.
        input_output_aliases: pairs of an operand and the result in its buffer, by number.
        passes_device: whether the number of the device is an operand after the others, int32 `[1]`: the
            kernel asks for it.
        counters: whether it is counted what each subcore does.
    """

    name: str
    module: str
    operands: int
    chip: MosaicChip
    mode: Mode = "check"
    races: Races = "error"
    order: Order = "lockstep"
    uninitialized: Uninitialized = "nan"
    out_of_bounds: OutOfBounds = "raise"
    input_output_aliases: tuple[tuple[int, int], ...] = ()
    passes_device: bool = False
    counters: bool = False

    @property
    def kind(self) -> str:
        """The kind of these specs."""
        return KIND

    @property
    def label(self) -> str:
        """The name that counters are kept under: that of the kernel."""
        return self.name

    def to_fields(self) -> dict[str, Any]:
        """Return the fields of the spec of a call, all of it JSON."""
        return {"version": 1, "kind": KIND, **dataclasses.asdict(self)}

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> MosaicSpec:
        """Return the spec that `to_fields` wrote.

        Raises:
            SparseCoreError: a field is missing, unknown, or not what it should be.
        """
        given = {name: value for name, value in fields.items() if name not in ("version", "kind")}
        values = _known(cls, given, "")
        chip = values["chip"]
        if not isinstance(chip, Mapping):
            raise SparseCoreError(f"spec: chip is {shown(chip)}; expected the numbers of a chip")
        values["chip"] = MosaicChip(**_known(MosaicChip, chip, "chip."))
        values["input_output_aliases"] = _pairs(values.get("input_output_aliases", ()))
        spec = cls(**values)
        _check(spec)
        return spec


def _known(cls: Any, fields: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    known = {each.name: each for each in dataclasses.fields(cls)}
    for name in fields:
        if name not in known:
            raise SparseCoreError(f"spec: unknown field {prefix}{name}; {suggestion(name, known)}")
    for name, field in known.items():
        if name not in fields and field.default is dataclasses.MISSING:
            raise SparseCoreError(f"spec: field {prefix}{name} is missing")
    return dict(fields)


def _pairs(found: object) -> tuple[tuple[int, int], ...]:
    try:
        return tuple((int(operand), int(result)) for operand, result in found)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise SparseCoreError(
            f"spec: input_output_aliases is {shown(found)}; expected pairs of numbers"
        ) from None


def _check(spec: MosaicSpec) -> None:
    for name, allowed in (
        ("mode", get_args(Mode)),
        ("races", get_args(Races)),
        ("uninitialized", get_args(Uninitialized)),
        ("out_of_bounds", get_args(OutOfBounds)),
    ):
        value = getattr(spec, name)
        if value not in allowed:
            expected = ", ".join(map(repr, allowed))
            raise SparseCoreError(f"spec: {name} is {shown(value)}; expected one of {expected}")
    if spec.order not in ("lockstep", "subcore") and type(spec.order) is not int:
        raise SparseCoreError(
            f"spec: order is {shown(spec.order)}; expected 'lockstep', 'subcore' or a seed"
        )
    for name in ("passes_device", "counters"):
        if type(getattr(spec, name)) is not bool:
            raise SparseCoreError(
                f"spec: {name} is {shown(getattr(spec, name))}; expected true or false"
            )
    for name in ("name", "module"):
        if not isinstance(getattr(spec, name), str):
            raise SparseCoreError(
                f"spec: {name} is {shown(getattr(spec, name))}; expected a string"
            )
    if type(spec.operands) is not int or spec.operands < 0:
        raise SparseCoreError(
            f"spec: operands is {shown(spec.operands)}; expected a number of arrays"
        )
    for field in dataclasses.fields(MosaicChip):
        value = getattr(spec.chip, field.name)
        if field.name != "name" and (type(value) is not int or value < 1):
            raise SparseCoreError(
                f"spec: chip.{field.name} is {shown(value)}; expected a positive integer"
            )
