"""Golden files: what they hold, what they do not, and how a difference is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AbstractMesh
from jax.sharding import PartitionSpec as P

from examples.models import transformer
from sdykit.errors import SdykitError
from sdykit.explain import assert_shardings, explain_text
from sdykit.explain.golden import differences_from_golden, golden_text
from support.explain.wrong_constraint import module_text, write_model

MESH = AbstractMesh((4, 2), ("data", "model"))
X, W = (jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((16, 8), (8, 12)))


def step_with(*spec: str | None) -> Callable[..., jax.Array]:
    def step(x: jax.Array, w: jax.Array) -> jax.Array:
        return jax.lax.with_sharding_constraint(jnp.tanh(x @ w), P(*spec)) * 2

    return step


def check(step: Callable[..., jax.Array], path: Path) -> None:
    shardings = (P("data", None), P(None, "model"))
    assert_shardings(step, X, W, golden=path, in_shardings=shardings, mesh=MESH)


def test_a_changed_constraint_fails_with_its_line_and_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "step.golden"
    with monkeypatch.context() as context:
        context.setenv("SDYKIT_UPDATE_GOLDEN", "1")
        check(step_with("data", "model"), path)
    check(step_with("data", "model"), path)
    with pytest.raises(AssertionError) as caught:
        check(step_with("data", None), path)
    text = str(caught.value)
    assert "f32[16,12] at python/tests/explain/test_golden.py" in text
    assert '[{"data"}, {"model"}] became [{"data"}, {}]' in text
    assert "is closed, as constraint at python/tests/explain/test_golden.py" in text
    assert text.endswith("to accept this, run again with SDYKIT_UPDATE_GOLDEN=1")


def test_a_wrong_constraint_in_a_model_is_told(tmp_path: Path) -> None:
    golden = golden_text(explain_text(transformer.program().text(debuginfo=True)))
    path, line = write_model(tmp_path)
    explanation = explain_text(module_text(path))
    assert differences_from_golden(explanation, golden_text(explanation), "g") == ""
    told = differences_from_golden(explanation, golden, "step.golden")
    assert told.startswith("8 tensors are sharded otherwise than in step.golden:\n")
    assert f"is closed, as constraint at {path}:{line} says" in told


def test_other_lines_change_nothing(tmp_path: Path) -> None:
    path, _ = write_model(tmp_path)
    before = golden_text(explain_text(module_text(path)))
    path.write_text("# A comment.\n\n" + path.read_text())
    assert golden_text(explain_text(module_text(path))) == before


def test_tensors_that_come_and_go_are_told() -> None:
    text = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n  return %x : tensor<8xf32>\n}"
    explanation = explain_text(text)
    golden = golden_text(explanation)
    assert "argument %arg0  f32[8]  none\n" in golden
    told = differences_from_golden(explanation, golden.replace("%arg0", "%arg1"), "g")
    assert told == (
        "1 tensor is not in g:\n  argument %arg0  f32[8]\n"
        "1 tensor is gone, but in g:\n  argument %arg1  f32[8]\n"
    )


def test_files_that_are_missing_or_others_are_errors(tmp_path: Path) -> None:
    with pytest.raises(
        SdykitError, match=r"there is no golden file .*step\.golden; write it first"
    ):
        check(step_with("data", None), tmp_path / "step.golden")
    (tmp_path / "other").write_text("hello\n")
    with pytest.raises(SdykitError, match="other:1: found 'hello'; expected a tensor, two blanks"):
        check(step_with("data", None), tmp_path / "other")
