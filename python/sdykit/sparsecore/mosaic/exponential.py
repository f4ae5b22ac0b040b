"""How `exp` of float32 is computed, by the reference and in compiled kernels alike.

It is computed in float64 and rounded once. C's `expf` would differ from one CPU to another, and
takes one number at a time.

With k the integer that is nearest to x / ln 2, and r = x - k ln 2, exp(x) is exp(r) 2^k; exp(r) is
Taylor's polynomial. Since |r| is at most ln 2 / 2, what is left out is less than 2^-46 of the result,
so that the float32 is the nearest one but where the exact result is within that of the middle
between two.
"""

from __future__ import annotations

import math

LIMIT = 200.0
"""Larger numbers give infinity, smaller ones than its negative 0: they are not told apart."""

LOG2_E = 1.4426950408889634
LN_2 = 0.6931471805599453

SHIFT = 1.5 * 2.0**52
"""Added to a small float64, it leaves the nearest integer in the lowest bits."""

EXPONENT_BIT, BIAS = 52, 1023
"""Where the exponent of a float64 begins, and that of 1."""

COEFFICIENTS = tuple(1 / math.factorial(power) for power in range(11, -1, -1))
"""Those of the polynomial, from the highest power down."""
