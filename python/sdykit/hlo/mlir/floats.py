"""Floating-point numbers: the text of HLO, that of MLIR, and bits."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

COMPLEX = {"c64": "f32", "c128": "f64"}
"""The types of the parts of complex numbers."""


@dataclass(frozen=True)
class Format:
    """The bits of a type: sign, exponent, mantissa."""

    exponent: int
    """The number of bits of the exponent."""
    mantissa: int
    """The number of bits of the mantissa, without the implied one."""
    digits: tuple[int, ...]
    """The numbers of digits that XLA tries, in order, until the text reads back as the number."""
    infinite: bool = True
    """Whether there are infinities, and many NaNs; without them there is one NaN, or one a sign."""
    bias: int = 0
    """The bias of the exponent; 0 stands for that of IEEE 754."""
    signed: bool = True
    nan: int | None = None
    """The bits of the only NaN, if these are not all ones."""

    @property
    def bits(self) -> int:
        return self.signed + self.exponent + self.mantissa

    @property
    def bytes(self) -> int:
        return max(1, self.bits // 8)


FORMATS = {
    "f64": Format(11, 52, (15, 17)),
    "f32": Format(8, 23, (6, 9)),
    "f16": Format(5, 10, (5,)),
    "bf16": Format(8, 7, (4,)),
    "f8e5m2": Format(5, 2, (2,)),
    "f8e4m3": Format(4, 3, (3,)),
    "f8e3m4": Format(3, 4, (3,)),
    "f8e4m3fn": Format(4, 3, (3,), infinite=False),
    "f8e4m3fnuz": Format(4, 3, (3,), infinite=False, bias=8, nan=0x80),
    "f8e5m2fnuz": Format(5, 2, (2,), infinite=False, bias=16, nan=0x80),
    "f8e4m3b11fnuz": Format(4, 3, (3,), infinite=False, bias=11, nan=0x80),
}
"""The types of which constants are converted."""

_NAN = re.compile(r"(-?)nan(?:\(0x([0-9a-fA-F]+)\))?")


def to_mlir(number: str, element: str) -> str:
    """Return a number of HLO in MLIR's form: with a decimal point, or as bits."""
    form = _format(element)
    number = number.removeprefix("+").lower()
    if number in ("inf", "-inf"):
        if not form.infinite:
            raise ValueError(f"{element} has no infinity")
        return _hex(_sign(number, form) | _infinity(form), form)
    nan = _NAN.fullmatch(number)
    if nan is not None:
        return _hex(_nan(number, nan[2], form), form)
    value = float(number)
    if not math.isfinite(value) or abs(_round(value, form)) > _maximum(form):
        raise ValueError(f"{number} is too large for {element}")
    whole, e, exponent = number.partition("e")
    whole = f"{whole}.0" if "." not in whole else whole
    sign = "-" if whole.startswith("-") else ""
    whole = f"{sign}0{whole.removeprefix('-')}"
    return f"{whole}{e}{exponent}"


def to_hlo(number: str, element: str) -> str:
    """Return a number of MLIR in XLA's form."""
    form = _format(element)
    if number.startswith("0x"):
        bits = int(number, 16)
        special = _special(bits, form)
        if special is not None:
            return special
        value = _value(bits, form)
    else:
        value = _round(float(number), form)
    for digits in form.digits[:-1]:
        text = f"{value:.{digits}g}"
        if _round(float(text), form) == _round(value, form):
            return text
    return f"{value:.{form.digits[-1]}g}"


def _format(element: str) -> Format:
    if element not in FORMATS:
        raise ValueError(f"a constant of {element} has no form in MLIR")
    return FORMATS[element]


def _hex(bits: int, form: Format) -> str:
    return f"0x{bits:0{form.bytes * 2}X}"


def _sign(number: str, form: Format) -> int:
    return (1 << (form.bits - 1)) if number.startswith("-") else 0


def _infinity(form: Format) -> int:
    return ((1 << form.exponent) - 1) << form.mantissa


def _nan(number: str, payload: str | None, form: Format) -> int:
    if form.nan is not None:
        return form.nan
    if not form.infinite:
        return _sign(number, form) | ((1 << (form.exponent + form.mantissa)) - 1)
    fraction = int(payload, 16) if payload else 1 << (form.mantissa - 1)
    if not 0 < fraction < 1 << form.mantissa:
        raise ValueError(f"the payload of {number} is 0 or has more than {form.mantissa} bits")
    return _sign(number, form) | _infinity(form) | fraction


def _special(bits: int, form: Format) -> str | None:
    """Return the name of an infinity or NaN; None for a number."""
    sign = "-" if bits >> (form.bits - 1) else ""
    if form.nan is not None:
        return "-nan" if bits == form.nan else None
    magnitude = bits & ((1 << (form.bits - 1)) - 1)
    if not form.infinite:
        return f"{sign}nan" if magnitude == (1 << (form.bits - 1)) - 1 else None
    if magnitude < _infinity(form):
        return None
    fraction = magnitude - _infinity(form)
    if not fraction:
        return f"{sign}inf"
    quiet = fraction == 1 << (form.mantissa - 1)
    return f"{sign}nan" if quiet else f"{sign}nan(0x{fraction:x})"


def _value(bits: int, form: Format) -> float:
    sign = -1.0 if bits >> (form.bits - 1) else 1.0
    fraction = bits & ((1 << form.mantissa) - 1)
    exponent = (bits >> form.mantissa) & ((1 << form.exponent) - 1)
    bias = form.bias or (1 << (form.exponent - 1)) - 1
    if exponent == 0:
        return sign * math.ldexp(fraction, 1 - bias - form.mantissa)
    return sign * math.ldexp(fraction + (1 << form.mantissa), exponent - bias - form.mantissa)


def _maximum(form: Format) -> float:
    """Return the largest finite number."""
    fraction = (1 << form.mantissa) - 1
    exponent = (1 << form.exponent) - (2 if form.infinite else 1)
    if not form.infinite and form.nan is None:
        fraction -= 1  # All ones are the NaN.
    return _value((exponent << form.mantissa) | fraction, form)


def _round(value: float, form: Format) -> float:
    """Return a number rounded to the mantissa of the type."""
    if value == 0 or not math.isfinite(value):
        return value
    bias = form.bias or (1 << (form.exponent - 1)) - 1
    exponent = max(math.frexp(value)[1] - 1, 1 - bias)
    step = math.ldexp(1.0, exponent - form.mantissa)
    return round(value / step) * step
