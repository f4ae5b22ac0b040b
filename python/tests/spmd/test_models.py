"""Models, forward and backward: the devices compute what one device does."""

from __future__ import annotations

import os

import pytest

from sdykit import spmd
from support.spmd.models import OWN_MESH, PROGRAMS, inputs_of, on_mesh, text_of

ALL = bool(os.environ.get("SDYKIT_SOAK"))
NAMES = (
    list(PROGRAMS)
    if ALL
    else ["control_flow", "mixture_of_experts", "offloaded_mlp", "recommender_forward"]
)
MESHES = (
    {"data": 2, "model": 1},
    {"data": 1, "model": 2},
    {"data": 2, "model": 2},
    {"data": 4, "model": 1},
    {"data": 3, "model": 2},
    {"data": 8, "model": 1},
    {"data": 1, "model": 7},
)


@pytest.mark.parametrize("name", NAMES)
def test_a_model_on_its_own_mesh(name: str) -> None:
    text = text_of(name)
    found = spmd.check(text, inputs_of(text))
    assert found.is_equal, found
    assert found.results >= 1


@pytest.mark.parametrize("name", [each for each in PROGRAMS if each not in OWN_MESH])
@pytest.mark.parametrize("sizes", MESHES)
@pytest.mark.skipif(not ALL, reason="only `make soak` runs all models on all meshes")
def test_a_model_on_other_meshes(name: str, sizes: dict[str, int]) -> None:
    text = on_mesh(text_of(name), sizes)
    found = spmd.check(text, inputs_of(text))
    assert found.is_equal, found


@pytest.mark.parametrize("sizes", [{"data": 3, "model": 2}])
def test_a_loop_on_a_mesh_that_does_not_divide_it(sizes: dict[str, int]) -> None:
    text = on_mesh(text_of("control_flow"), sizes)
    found = spmd.check(text, inputs_of(text), collectives="implicit", bisect=True)
    assert found.is_equal, found
