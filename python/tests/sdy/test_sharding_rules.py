"""Sharding rules: those of random ops and of models are the C++ pass's; rules of users."""

from __future__ import annotations

import os

import pytest

from examples.models import (
    control_flow,
    mixture_of_experts,
    offloaded_mlp,
    pipelined_mlp,
    recommender,
    transformer,
)
from sdykit.core import RuleBuilder, sharding_rule
from sdykit.core.sdy import user_rules
from sdykit.errors import PassLoadError
from sdykit.mlir import ir
from sdykit.passes.sdy._sharding_rules.table import RULES, TARGETS
from support.oracle import assert_same, ours
from support.sdy.rule_ops import op_functions

OPS = int(os.environ.get("SDYKIT_RANDOM_RULES", "1600"))
SHARDS = 4
"""The ops in parts, for pytest-xdist."""

PASS = "sdy-populate-op-sharding-rules"
OPTIONS = ("", "{conservative-propagation=true}")


@pytest.mark.parametrize("shard", range(SHARDS))
def test_rules_of_random_ops_are_those_of_the_oracle(shard: int) -> None:
    ops = list(op_functions(shard, -(-OPS // SHARDS)))
    for start in range(0, len(ops), 100):
        text = "\n".join(function for _, function in ops[start : start + 100])
        for options in OPTIONS:
            assert_same(text, f"{PASS}{options}", f"func.func({PASS}{options})")


def test_random_ops_reach_every_rule() -> None:
    reached = "\n".join(function for _, function in op_functions(0, 20_000))
    ops = {name for name in RULES if f'"{name}"' not in reached}
    # The first is in models of MPMD, which other tests compare; the other is an op of HLO alone.
    assert ops == {"mpmd.transfer", "stablehlo.cross-replica-sum"}
    assert {name for name in TARGETS if f'"{name}"' not in reached} == set()


@pytest.mark.parametrize("model", [control_flow, mixture_of_experts, recommender, transformer])
@pytest.mark.parametrize("options", OPTIONS)
def test_rules_of_models_are_those_of_the_oracle(model: object, options: str) -> None:
    text = model.program().text(debuginfo=True)  # type: ignore[attr-defined]
    assert_same(text, f"{PASS}{options}", f"func.func({PASS}{options})")


@pytest.mark.parametrize(
    ("dims", "size", "kind", "message"),
    [
        (([1], [0]), 4, "reduction", r"operand 0 has no dimension 1: its shape is \(4,\)"),
        (([0], [-1]), 4, "reduction", r"result 0 has no dimension -1: its shape is \(4,\)"),
        (([0, 0], [0]), 4, "reduction", "2 dimensions of operands; the op has 1 operands"),
        (
            ([0], [0]),
            4,
            "sum",
            "factor of size 4 and kind 'sum'; expected a size of 0 or more and one",
        ),
    ],
)
def test_a_factor_that_does_not_fit(
    dims: tuple[list[int], list[int]], size: int, kind: str, message: str
) -> None:
    rule = RuleBuilder([(4,)], [(4,)])
    with pytest.raises(ValueError, match=message):
        rule.add(*dims, size, kind)  # type: ignore[arg-type]


def test_two_rules_of_one_name() -> None:
    @sharding_rule("twice")
    def first(op: ir.Operation, rule: RuleBuilder) -> None:
        rule.pointwise(rule.results[0])

    sharding_rule("twice")(first)  # The same function again, as when a file is loaded twice.
    with pytest.raises(
        PassLoadError, match=r"sharding rule of 'twice': .*test_sharding_rules.py:\d+ and"
    ):

        @sharding_rule("twice")
        def second(op: ir.Operation, rule: RuleBuilder) -> None:
            rule.same(0, 1)


def test_a_rule_of_a_user_replaces_ours() -> None:
    @sharding_rule("stablehlo.negate")
    def whole(op: ir.Operation, rule: RuleBuilder) -> None:
        rule.same(0, 8, "need_replication")

    text = "func.func @f(%x: tensor<8xf32>) {\n%0 = stablehlo.negate %x : tensor<8xf32>\nreturn\n}"
    assert "->([i]) {i=8} need_replication={i}>" in str(ours(text, PASS).text)


@pytest.fixture(autouse=True)
def _no_rules_of_other_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_rules, "_rules", {})


@pytest.mark.parametrize("model", [pipelined_mlp, offloaded_mlp])
def test_rules_of_transfers_are_those_of_the_oracle(model: object) -> None:
    text = model.pipeline().text()  # type: ignore[attr-defined]
    assert "mpmd.transfer" in text
    assert_same(text, PASS, f"func.func({PASS})")
