"""Random modules: our passes give the text of the C++ passes, locations included.

The number of modules is `SDYKIT_RANDOM_MODULES` (600 if it is not set); they are the
same in every run.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from support.comparison import Comparison
from support.generators import ModuleSpec, module_specs, module_text, seeded_spec
from support.oracle import parse

MODULES = int(os.environ.get("SDYKIT_RANDOM_MODULES", "600"))
SHARDS = 8
"""The modules in parts, for pytest-xdist."""


@pytest.mark.parametrize("shard", range(SHARDS))
def test_random_modules_become_those_of_the_oracle(shard: int) -> None:
    wanted = -(-MODULES // SHARDS)
    with Comparison() as comparison:

        @seed(shard)
        @settings(
            max_examples=wanted,
            deadline=None,
            database=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        )
        @given(module_specs())
        def compare(spec: ModuleSpec) -> None:
            comparison.check(module_text(spec))

        compare()
        print(comparison)
        assert comparison.modules >= wanted
        # That the C++ passes fail, or crash, tells little: rarely do they.
        assert comparison.crashes == 0
        assert comparison.failures < comparison.outcomes // 10


def test_the_verifier_accepts_every_random_module() -> None:
    for number in range(300):
        parse(module_text(seeded_spec(number)))
