"""jax-tpu-embedding's public API on CPU devices, compared with dense numpy and with the reference.

    python python/tests/support/jax_tpu_embedding/matrix.py --system 4x4
    python python/tests/support/jax_tpu_embedding/matrix.py --system 8x2 --all

Each case is a short training. Activations, tables and slots are those of a dense model that knows
nothing of stacks, partitions and buffers; and bit by bit those of the reference, which reads the
buffers. A process of its own: devices and chip are fixed when JAX starts.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from support.jax_tpu_embedding import matrix_axes as axes

CHIPS = {4: "v5p", 2: "v6e"}
"""The chip whose devices have so many SparseCores."""


def main() -> int:
    parser = argparse.ArgumentParser(description="The library's public API on CPU devices.")
    parser.add_argument("--system", choices=axes.AXES["system"], default="4x4")
    parser.add_argument("--all", action="store_true", help="every combination of the main axes")
    parser.add_argument("--only", default="", help="cases whose description has this text")
    parser.add_argument("--every", type=int, default=1, help="take only each so-manieth case")
    arguments = parser.parse_args()
    devices, cores = map(int, arguments.system.split("x"))
    flags = f"--xla_force_host_platform_device_count={devices}"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flags}"
    os.environ["SDYKIT_CHIP"] = CHIPS[cores]
    chosen = axes.whole() if arguments.all else axes.pairwise()
    cases = [
        (number, case)
        for number, case in enumerate(chosen)
        if case.system == arguments.system and arguments.only in str(case)
    ][:: arguments.every]
    failed = 0
    for number, case in cases:
        failed += not _passes(number, case)
        if arguments.all:
            print(f"case {number} of {len(chosen)}, {failed} failed", file=sys.stderr, flush=True)
    print(f"{len(cases)} cases on {arguments.system}, {failed} failed")
    return 1 if failed else 0


def _passes(number: int, case: axes.Case) -> bool:
    """Run a case; tell on stderr what is wrong with it."""
    try:
        compare(number, case)
    except Exception:  # Whatever it is, the other cases are worth running.
        print(f"case {number}: {case}\n{traceback.format_exc()}", file=sys.stderr, flush=True)
        return False
    return True


def compare(number: int, case: axes.Case) -> None:
    """Train for some steps, and compare everything with both models."""
    import jax

    from support.jax_tpu_embedding import matrix_bits as bits
    from support.jax_tpu_embedding.matrix_calls import run_steps, start_variables
    from support.jax_tpu_embedding.matrix_dense import check_dense
    from support.jax_tpu_embedding.matrix_features import make_training

    training = make_training(case, number)
    variables = start_variables(training)
    before = _on_host(variables)
    found, after = run_steps(training, _given_gradients(training), variables)
    found = jax.tree.map(lambda leaf: leaf.reshape(-1, leaf.shape[-1]), found)
    last = _on_host(after)

    exact, exact_last = bits.expected_bits(training, before)
    features = training.features
    if case.unstacking != "left to us":
        exact = [bits.unstacked(case, features, each) for each in exact]
    _check_bits("activations", found, exact)
    _check_bits("variables", last, exact_last)
    if case.unstacking == "left to us":
        found = [bits.unstacked(case, features, each) for each in found]
    check_dense(training, found, _tables(training, before), _tables(training, last))


def _given_gradients(training: Any) -> list[Any]:
    """Return the gradients in the program's form: by feature or stack, with or without devices."""
    import jax

    from support.jax_tpu_embedding.matrix_bits import stacked

    case, given = training.case, training.gradients
    if case.unstacking == "left to us":
        given = [stacked(case, training.features, gradient) for gradient in given]
    if case.call != "pmap":
        return given
    return jax.tree.map(lambda leaf: leaf.reshape(case.devices, -1, leaf.shape[-1]), given)


def _tables(training: Any, held: dict[str, tuple[np.ndarray, ...]]) -> Any:
    """Take tables and slots, `[vocabulary, dim]`, out of their stacks."""
    from support.jax_tpu_embedding.matrix_features import TABLES, rows_of_tables

    return {
        name: tuple(array[rows, : TABLES[name][1]] for array in held[stack])
        for name, (stack, rows) in rows_of_tables(training).items()
    }


def _on_host(variables: Any) -> dict[str, tuple[np.ndarray, ...]]:
    """Copy tables and slots of each stack, `[rows, dim]`."""
    return {
        name: tuple(np.array(a).reshape(-1, a.shape[-1]) for a in (each.table, *each.slot))
        for name, each in variables.items()
    }


def _check_bits(what: str, found: Any, expected: Any) -> None:
    """Compare bits; any NaN equals any other, since padding is NaN."""
    import jax

    pairs = zip(jax.tree_util.tree_leaves_with_path(found), jax.tree.leaves(expected), strict=True)
    for (path, one), other in pairs:
        where = f"{what}{jax.tree_util.keystr(path)}"
        assert (one.dtype, one.shape) == (other.dtype, other.shape), where
        differ = (one.view(np.uint32) != other.view(np.uint32)) & ~(np.isnan(one) & np.isnan(other))
        places = np.argwhere(differ)
        assert not len(places), (
            f"{where}: {len(places)} of {one.size} differ from the reference, first at "
            f"{places[0]}: {one[tuple(places[0])]!r}, expected {other[tuple(places[0])]!r}"
        )


if __name__ == "__main__":
    sys.exit(main())
