"""How floats of fewer than 32 bits are read, and their bits as constants."""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np

from sdykit.sparsecore.codegen.emission.types import Element

BIAS = 127
"""What is added to the exponent of a float32."""


@dataclass(frozen=True, slots=True)
class Format:
    """How the bits of a float are read.

    Attributes:
        exponent: the bits of the exponent.
        fraction: the bits of the fraction.
        bias: what is added to the exponent.
        has_infinity: whether the largest exponent means infinity or NaN, as in IEEE 754.
        negative_zero: whether there is a negative zero; otherwise its bits are those of NaN.
    """

    exponent: int
    fraction: int
    bias: int
    has_infinity: bool = False
    negative_zero: bool = True

    @property
    def bits(self) -> int:
        """The bits of a number without its sign."""
        return self.exponent + self.fraction

    @property
    def infinity(self) -> int:
        """The bits of infinity, or of what numbers become that are too large: NaN."""
        if self.has_infinity:
            return (1 << self.bits) - (1 << self.fraction)
        return (1 << self.bits) - self.negative_zero

    @property
    def nan(self) -> int:
        """The bits of a quiet NaN."""
        return self.infinity | (self.has_infinity << (self.fraction - 1))

    @property
    def rescaling(self) -> int:
        """The difference of the exponents of a float32 and of this format."""
        return BIAS - self.bias


FORMATS = {
    "f16": Format(exponent=5, fraction=10, bias=15, has_infinity=True),
    "f8E5M2": Format(exponent=5, fraction=2, bias=15, has_infinity=True),
    "f8E4M3FN": Format(exponent=4, fraction=3, bias=7),
    "f8E4M3B11FNUZ": Format(exponent=4, fraction=3, bias=11, negative_zero=False),
}
"""The format of each element; FN: without infinity, UZ: without a negative zero."""


_DTYPES = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
}
"""The numpy type of each element of fewer than 32 bits."""


def bits_of(element: Element, number: float) -> int:
    """Round a number that a float32 holds exactly, and return the bits as a signed integer."""
    with np.errstate(over="ignore"):
        rounded = np.float32(number).astype(_DTYPES[element.name])
    return int(rounded.view(f"i{element.bytes}"))


def number_of(element: Element, bits: int) -> float:
    """Return the number that bits are, given as an integer with or without a sign."""
    word = np.array(bits & ((1 << element.bits) - 1), f"u{element.bytes}")
    return float(word.view(_DTYPES[element.name]).astype(np.float32))
