"""The way of specs from a call to machine code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc


class _Count:
    """Counts calls of `json` with the spec of a lookup."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.parsed = 0
        self.written: list[dict[str, Any]] = []
        loads, dumps = json.loads, json.dumps

        def counted_loads(text: Any, **options: Any) -> Any:
            found = loads(text, **options)
            self.parsed += isinstance(found, dict) and found.get("kind") == "lookup"
            return found

        def counted_dumps(value: Any, **options: Any) -> str:
            if isinstance(value, dict) and value.get("kind") == "lookup":
                self.written.append(value)
            return dumps(value, **options)

        monkeypatch.setattr(json, "loads", counted_loads)
        monkeypatch.setattr(json, "dumps", counted_dumps)


def test_a_spec_is_written_for_the_program_and_the_cache_and_parsed_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SDYKIT_CACHE_DIR", str(tmp_path))
    table, ids = jnp.ones((136, 24)), np.zeros((40, 3), np.int32)
    count = _Count(monkeypatch)
    found = jax.jit(lambda table: sc.lookup(table, ids))(table)
    np.testing.assert_array_equal(found, np.full((40, 24), 3, np.float32))
    # What the program of XLA carries names its arrays; the key of the cache has no call.
    assert ["arrays" in each for each in count.written] == [True, False]
    assert count.parsed == 1


def test_a_program_that_is_traced_again_parses_no_spec(monkeypatch: pytest.MonkeyPatch) -> None:
    table, ids = jnp.ones((136, 24)), np.zeros((40, 3), np.int32)
    jax.jit(lambda table: sc.lookup(table, ids))(table)
    count = _Count(monkeypatch)
    jax.jit(lambda table: sc.lookup(table, ids))(table)
    assert len(count.written) == 1
    assert count.parsed == 0
