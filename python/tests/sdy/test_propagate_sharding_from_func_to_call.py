"""`-sdy-propagate-sharding-from-func-to-call` against the C++ pass."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from support.amounts import examples
from support.oracle import assert_same
from support.sdy.sharded_modules import RANKS, Writer, sharded_module

PASS = "sdy-propagate-sharding-from-func-to-call"


@settings(derandomize=True, max_examples=examples(600), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_random_modules_get_the_shardings_of_the_oracle(seed: int) -> None:
    assert_same(sharded_module(random.Random(seed)), PASS)


@settings(derandomize=True, max_examples=examples(1500), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_calls_of_a_function_with_several_results_get_those_of_the_oracle(seed: int) -> None:
    source = random.Random(seed)
    writer = Writer(source)
    meshes = "\n".join(writer.symbol(name) for name in ("m", "mesh", "mesh_0"))
    # Types that cannot have a sharding make the C++ verifier fail soon; have few of them.
    common = [kind for kind in RANKS if kind.startswith("tensor<8")]
    kinds = source.choices(common + list(RANKS), k=source.randint(0, 5))
    results = ", ".join(kind + writer.argument(kind) for kind in kinds)
    writer.functions.append(("foo", kinds, []))
    assert_same(
        f"""
        module {{
          {meshes}
          func.func private @foo() -> ({results})
          func.func @main() {{
            {writer.called(0)}
            {writer.called(0)}
            return
          }}
        }}""",
        PASS,
    )
