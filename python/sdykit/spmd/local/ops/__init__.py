"""How ops of each kind are run on parts of their tensors.

`own` has what needs no sharding rule: constants, control flow, calls, manual computations, and the ops
of sdy. All others are run by their rules; `KINDS` says in what way, if not plainly: element-wise ops,
transposes, reshapes, sorts and so on change their types only.
"""

from sdykit.spmd.local.by_rule import KINDS, Kind
from sdykit.spmd.local.ops import constants, regions, shardings  # noqa: F401  (they fill `OWN`)
from sdykit.spmd.local.ops.broadcasts import BROADCAST
from sdykit.spmd.local.ops.indexed import GATHER, SCATTER
from sdykit.spmd.local.ops.moves import DYNAMIC_SLICE, PAD, RESHAPE, SLICE, UPDATE
from sdykit.spmd.local.ops.sums import CONVOLUTION, DOT, REDUCE
from sdykit.spmd.local.ops.wholes import CUSTOM_CALL, FFT, RANDOM_BITS

KINDS.update(
    {
        "stablehlo.collective_broadcast": BROADCAST,
        "stablehlo.convolution": CONVOLUTION,
        "stablehlo.custom_call": CUSTOM_CALL,
        "stablehlo.dot": DOT,
        "stablehlo.dot_general": DOT,
        "stablehlo.dynamic_slice": DYNAMIC_SLICE,
        "stablehlo.dynamic_update_slice": UPDATE,
        "stablehlo.fft": FFT,
        "stablehlo.gather": GATHER,
        "stablehlo.pad": PAD,
        "stablehlo.reduce": REDUCE,
        "stablehlo.reshape": RESHAPE,
        "stablehlo.rng_bit_generator": RANDOM_BITS,
        "stablehlo.scatter": SCATTER,
        "stablehlo.slice": SLICE,
    }
)

__all__ = ["KINDS", "Kind"]
