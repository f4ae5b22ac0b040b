"""Passes on functions do work that is linear in the number of functions: calls are counted, not time."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from sdykit.core import run_pipeline
from sdykit.mlir import ir, make_context

PIPELINES = (
    "func.func(sdy-insert-explicit-reshards)",
    "func.func(sdy-insert-explicit-reshards{enable-full-version=true})",
    "func.func(sdy-reshard-to-collectives)",
)
STEP = 20
"""By how many functions each module has more than the one before."""


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_each_function_takes_as_many_calls(pipeline: str) -> None:
    _calls(1, pipeline)  # imports the pass
    few, more, most = (_calls(count * STEP, pipeline) for count in (1, 2, 3))
    assert more - few == pytest.approx(most - more, rel=0.02)


def _calls(functions: int, pipeline: str) -> int:
    """Return the number of calls, of Python and of the bindings, that a run makes."""
    count = 0

    def profile(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    with make_context():
        module = ir.Module.parse(_text(functions))
        sys.setprofile(profile)
        try:
            run_pipeline(module, pipeline)
        finally:
            sys.setprofile(None)
        assert "sdy.reshard" in str(module) or "sdy.all_to_all" in str(module)
    return count


def _text(functions: int) -> str:
    return 'sdy.mesh @mesh = <["x"=2, "y"=2]>\n' + "".join(map(_function, range(functions)))


def _function(number: int) -> str:
    """Return a function that calls the one before, with an operand to be resharded."""
    callee = "" if number == 0 else f"  %2 = call @f{number - 1}(%1) : ({_TYPE}) -> {_TYPE}\n"
    return f"""func.func @f{number}(%a: {_TYPE} {_SHARDED}) -> ({_TYPE} {_SHARDED}) {{
  %0 = stablehlo.abs %a {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{}}, {{"x"}}]>]>}} : {_TYPE}
  %1 = sdy.reshard %a <@mesh, [{{}}, {{"x"}}]> : {_TYPE}
{callee}  return %0 : {_TYPE}
}}
"""


_TYPE = "tensor<4x4xf32>"
_SHARDED = '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}'
