"""Collectives that reshards become: the text of the C++ pass, and right on each device."""

from __future__ import annotations

import math
import os
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from sdykit.core import FUNC
from sdykit.mlir import ir
from support.oracle import ours, parse
from support.oracle_process import OracleProcess
from support.sdy.cpp_functions import compare as compare_functions
from support.sdy.random_chains import random_chains
from support.sdy.random_reshards import Pair, random_pairs
from support.sdy.reshard_steps import arrives, assert_data_is_there, is_sound, steps_of

PAIRS = int(os.environ.get("SDYKIT_RANDOM_RESHARDS", "2400"))
SHARDS = 4
"""The pairs in parts, for pytest-xdist."""
BATCH = 200
PASS = "func.func(sdy-reshard-to-collectives)"
CHAINS = 30
"""The functions of ops that use each other, on one mesh."""
MAX_DEVICES = 16
"""On larger meshes, what each device gets is not looked at."""


@pytest.fixture(scope="module")
def oracle() -> Iterator[OracleProcess]:
    process = OracleProcess()
    yield process
    process.close()


@pytest.mark.parametrize("shard", range(SHARDS))
def test_random_pairs(oracle: OracleProcess, shard: int) -> None:
    counts: Counter[str] = Counter()
    for seed in range(shard, PAIRS // BATCH, SHARDS):
        meshes, pairs = random_pairs(seed, BATCH)
        counts += compare(oracle, meshes, pairs)
    # C++ does not bring some axes to their place, or puts axes together that do not fit, or fails.
    assert counts["same"] > 0.94 * counts.total(), counts


@pytest.mark.parametrize("shard", range(SHARDS))
def test_reshards_of_reshards(oracle: OracleProcess, shard: int) -> None:
    for seed in range(shard, max(SHARDS, PAIRS // BATCH // 3), SHARDS):
        head, functions = random_chains(random.Random(seed), CHAINS)
        assert compare_functions(oracle, head, functions, PASS) > CHAINS // 2


def compare(oracle: OracleProcess, meshes: str, pairs: Sequence[Pair]) -> Counter[str]:
    """Compare the texts of those that C++ is right about; the others must be right."""
    counts: Counter[str] = Counter()
    valid, expected = _valid_for_cpp(oracle, meshes, pairs)
    text = meshes + "".join(pair.text for pair in valid)
    found = _functions(ours(text, PASS).text)
    for pair, theirs, mine in zip(valid, expected, found, strict=True):
        steps = steps_of(theirs, pair.mesh)
        if not arrives(pair, steps):
            counts["C++ is wrong"] += 1
        else:
            counts["same"] += 1
            assert _text(mine) == _text(theirs), meshes + pair.text
        _check(pair, mine)
    for pair in pairs:
        if pair not in valid:
            counts["C++ fails"] += 1
            outcome = ours(meshes + pair.text, PASS)
            if outcome.text is not None:
                _check(pair, *_functions(outcome.text))
            else:
                assert pair.has.unreduced != pair.wants.unreduced
                assert "and is unreduced in the result" in outcome.errors[0]
    return counts


def _check(pair: Pair, function: ir.Operation) -> None:
    """Assert that the collectives of a function do what was asked for."""
    steps = steps_of(function, pair.mesh)
    if not is_sound(pair.has.dims, pair.mesh) or not is_sound(pair.wants.dims, pair.mesh):
        return
    assert arrives(pair, steps), pair
    if math.prod(pair.mesh.values()) <= MAX_DEVICES:
        assert_data_is_there(pair, steps)


def _valid_for_cpp(
    oracle: OracleProcess, meshes: str, pairs: Sequence[Pair]
) -> tuple[list[Pair], list[ir.Operation]]:
    """Return the pairs that C++ finds collectives for, and these: its own verifier refuses some."""
    valid = list(pairs)
    while True:
        oracle.ask(meshes + "".join(pair.text for pair in valid), [PASS])
        (outcome,) = oracle.answers()
        assert outcome is not None, oracle.last_words()
        if outcome.text is not None:
            return valid, _functions(outcome.text)
        first, height = meshes.count("\n") + 1, valid[0].text.count("\n")
        lines = {int(re.findall(r"\d+", error)[0]) for error in outcome.errors}
        bad = {(line - first) // height for line in lines}
        valid = [pair for number, pair in enumerate(valid) if number not in bad]


def _functions(text: str | None) -> list[ir.Operation]:
    assert text is not None
    module = parse(text)
    _MODULES.append(module)
    return [each.operation for each in module.body.operations if each.operation.name == FUNC]


_MODULES: list[ir.Module] = []
"""Ops do not keep their module alive."""


def _text(function: ir.Operation) -> str:
    return str(function.get_asm(enable_debug_info=True, use_local_scope=True))
