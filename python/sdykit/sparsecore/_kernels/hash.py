"""The hash that puts ids into buckets: HighwayHash, 64 bits, of 4 bytes.

HighwayHash is described by its authors in https://arxiv.org/abs/1612.06257; key and use are those
of jax-tpu-embedding, so that the same ids fall into the same minibatches.
"""

from __future__ import annotations

import numpy as np
from numba import njit

BUCKETS = 64

_KEY = np.array(
    [0x4451E30F87DB9609, 0xCA7358A1FD2737F8, 0x4B2C991FCEE4FDEA, 0x0B2658E18326F6BA], np.uint64
)
_MUL0 = np.array(
    [0xDBE6D5D5FE4CCE2F, 0xA4093822299F31D0, 0x13198A2E03707344, 0x243F6A8885A308D3], np.uint64
)
_MUL1 = np.array(
    [0x3BD39E10CB0EF593, 0xC0ACF169B5F18A8C, 0xBE5466CF34E90C6C, 0x452821E638D01377], np.uint64
)
_BYTES = 4
_LAST_BUCKET = np.uint64(BUCKETS - 1)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ROUNDS = 4


def _state() -> np.ndarray:
    """Set up the state for the key, and account for a packet of 4 bytes."""
    length = np.uint64(_BYTES)
    state = np.empty((4, 4), np.uint64)
    state[0] = (_MUL0 ^ _KEY) + ((length << _HALF) + length)
    right = (_MUL1 ^ (_KEY >> _HALF | _KEY << _HALF)).view(np.uint32)
    state[1] = (right << np.uint32(_BYTES) | right >> np.uint32(32 - _BYTES)).view(np.uint64)
    state[2] = _MUL0
    state[3] = _MUL1
    return state


_STATE = tuple(tuple(np.uint64(word) for word in row) for row in _state().T)
"""A lane each: `(v0, v1, mul0, mul1)`. Tuples, since kernels keep them in registers."""


@njit(nogil=True, cache=True, error_model="numpy")
def bucket_of(column):
    """Give the bucket of a column of a stack, from 0 to 63."""
    zero = np.uint64(0)
    state = _update(_STATE, (np.uint64(column), zero, zero, zero))
    for _ in range(_ROUNDS):
        first, second, third, fourth = state
        packet = (_turn(third[0]), _turn(fourth[0]), _turn(first[0]), _turn(second[0]))
        state = _update(state, packet)
    v0, v1, mul0, mul1 = state[0]
    return (v0 + v1 + mul0 + mul1) & _LAST_BUCKET


@njit(nogil=True, cache=True, error_model="numpy")
def _turn(word):
    return (word >> _HALF) | (word << _HALF)


@njit(nogil=True, cache=True, error_model="numpy")
def _update(state, packet):
    """Take in a packet of four words."""
    a = _multiply(state[0], packet[0])
    b = _multiply(state[1], packet[1])
    c = _multiply(state[2], packet[2])
    d = _multiply(state[3], packet[3])
    a, b = _mix(a, b)
    c, d = _mix(c, d)
    return a, b, c, d


@njit(nogil=True, cache=True, error_model="numpy")
def _multiply(lane, word):
    v0, v1, mul0, mul1 = lane
    v1 += mul0 + word
    mul0 ^= (v1 & _LOW) * (v0 >> _HALF)
    v0 += mul1
    mul1 ^= (v0 & _LOW) * (v1 >> _HALF)
    return v0, v1, mul0, mul1


@njit(nogil=True, cache=True, error_model="numpy")
def _mix(even, odd):
    """Add the shuffled bytes of a pair of lanes, first of `v1` to `v0`, then the other way."""
    even_v0 = even[0] + _even(odd[1], even[1])
    odd_v0 = odd[0] + _odd(odd[1], even[1])
    even_v1 = even[1] + _even(odd_v0, even_v0)
    odd_v1 = odd[1] + _odd(odd_v0, even_v0)
    return (even_v0, even_v1, even[2], even[3]), (odd_v0, odd_v1, odd[2], odd[3])


@njit(nogil=True, cache=True, error_model="numpy")
def _even(odd, even):
    """Pick bytes of two neighbouring lanes, as HighwayHash mixes them into the even one."""
    return (
        (((even & np.uint64(0xFF000000)) | (odd & np.uint64(0xFF00000000))) >> np.uint64(24))
        | (
            ((even & np.uint64(0xFF0000000000)) | (odd & np.uint64(0xFF000000000000)))
            >> np.uint64(16)
        )
        | (even & np.uint64(0xFF0000))
        | ((even & np.uint64(0xFF00)) << np.uint64(32))
        | ((odd & np.uint64(0xFF00000000000000)) >> np.uint64(8))
        | (even << np.uint64(56))
    )


@njit(nogil=True, cache=True, error_model="numpy")
def _odd(odd, even):
    """The same, for the odd lane."""
    return (
        (((odd & np.uint64(0xFF000000)) | (even & np.uint64(0xFF00000000))) >> np.uint64(24))
        | (odd & np.uint64(0xFF0000))
        | ((odd & np.uint64(0xFF0000000000)) >> np.uint64(16))
        | ((odd & np.uint64(0xFF00)) << np.uint64(24))
        | ((even & np.uint64(0xFF000000000000)) >> np.uint64(8))
        | ((odd & np.uint64(0xFF)) << np.uint64(48))
        | (even & np.uint64(0xFF00000000000000))
    )
