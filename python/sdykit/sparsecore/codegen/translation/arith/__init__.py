"""`arith`: `integers` (with comparisons and `select`), `floats` (with casts) and `constants`."""

from sdykit.sparsecore.codegen.translation.arith import constants, floats, integers

OPS = {**constants.OPS, **floats.OPS, **integers.OPS}
