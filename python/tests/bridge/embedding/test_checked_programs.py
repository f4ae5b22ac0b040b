"""The small programs beside lookups and updates stay in bounds: a check finds nothing."""

from __future__ import annotations

import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge import ffi
from sdykit.bridge.embedding.programs import shared_errors
from sdykit.bridge.embedding.programs.sums import add_parts
from sdykit.sparsecore.tile.compile import add_checks, parse_tile
from support.embedding.embedding_cases import raw_case


def checked(program: str) -> str:
    module = parse_tile(program)
    add_checks(module, bounds=True, nan=False)
    text = str(module)
    assert "out of the bounds" in text
    return text


def use_all() -> list[Any]:
    """Return the results of calls that run each of the programs, traced anew."""
    results: list[Any] = [add_parts(jnp.arange(48.0).reshape(12, 4), 4)]
    for combiner in ("mean", "sqrtn"):
        case = raw_case(3, combiner=combiner)  # type: ignore[arg-type]

        def look_up(weights: jax.Array, case: Any = case) -> jax.Array:
            return sc.lookup(case.flat, case.ids, weights, combiner=case.combiner)

        results.append(jax.jit(look_up)(case.weights))
    return results


def test_programs_beside_lookups_stay_in_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = use_all()
    plain, seen = ffi.call, set[str]()

    def call(program: Any, *arguments: Any, **options: Any) -> Any:
        if isinstance(program, str):
            seen.update(re.findall(r"func.func @(\w+)", program))
            program = checked(program)
        return plain(program, *arguments, **options)

    monkeypatch.setattr(ffi, "call", call)
    for found, array in zip(use_all(), expected, strict=True):
        np.testing.assert_array_equal(found, array)
    assert seen == {"fold_gains", "check_gains", "add_parts"}


@pytest.mark.parametrize("failing", [None, 0, 2])
def test_the_program_of_shared_errors_stays_in_bounds(failing: int | None) -> None:
    messages = '["ok", "word {1}, {7}"]'
    program = shared_errors._PROGRAM.format(name="errors_of_3", messages=messages)
    statuses, held = np.zeros((3, 8), np.int64), np.arange(6, dtype=np.float32)
    if failing is not None:
        statuses[failing] = [1, 2**40 + failing, 0, 0, 0, 0, 0, -5]

    def run() -> jax.Array:
        halves = statuses.view(np.int32).reshape(-1)
        return ffi.call(checked(program), [halves, held], [held], input_output_aliases={1: 0})[0]

    if failing is None:
        np.testing.assert_array_equal(run(), held)
        return
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError)) as raised:
        run().block_until_ready()
    assert str(raised.value).splitlines()[0] == f"INVALID_ARGUMENT: word {2**40 + failing}, -5"
