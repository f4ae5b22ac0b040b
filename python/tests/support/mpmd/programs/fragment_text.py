"""The text of a fragment besides its body: mesh, origins, stage, attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from support.generators.choices import Choices
from support.mpmd.programs.bodies import Body
from support.mpmd.programs.features import Features
from support.mpmd.programs.types import Mesh, MeshTensor, Value

_NAMES = ("f1_0", "f1_1", "f1_2", "f", "f", "g", "block_3", "block_4", "mlp_10", "x_", "a.b_7")
_LISTED = (
    "uniquify",
    "infer_mesh_wrap_meshless_ops",
    "infer_mesh_wrap_resultless_ops",
    "infer_mesh_convert_reduce_ops",
    "extract_reshards",
    "introduce_transfers",
)
"""The passes whose inferred fragments may remain at the end."""
_UNLISTED = ("infer_mesh", "some-pass")


@dataclass(frozen=True)
class Fragment:
    """A fragment to be written."""

    mesh: Mesh
    body: Body
    operands: Sequence[Value]
    inferred: bool = False
    tokens: Sequence[str] = ()
    """The token operands."""
    types: Sequence[MeshTensor] = ()
    """The types of the results; drawn if it is empty."""
    seed: int | None = None
    """The seed of origins and stage, which fragments with the same body share."""
    repetition: int = 0
    """The number of earlier fragments with the same body."""


def fragment_head(features: Features, choices: Choices, fragment: Fragment) -> str:
    """Return mesh, origins and stage as text."""
    if fragment.seed is not None:
        choices = Choices(fragment.seed)
    origins = "" if fragment.inferred else ", ".join(_origins(features, choices))
    stage = ""
    if features.stages and not fragment.inferred and choices.chance(0.2):
        stage = f", stage={choices.between(0, 3)}"
    return f'mesh="{fragment.mesh.name}", origin=[{origins}]{stage}'


def _origins(features: Features, choices: Choices) -> list[str]:
    names = [choices.pick(_NAMES)]
    if features.origins and choices.chance(0.35):
        names = _several(choices)
    count = choices.pick((0, 0, 1, 2)) if features.transposes and choices.chance(0.4) else 0
    mixed = features.transposes and choices.chance(0.1)
    words = []
    for name in names:
        shown = choices.between(0, 2) if mixed else count
        words.append(f'"{name}"({shown})' if shown else f'"{name}"')
    return words


def _several(choices: Choices) -> list[str]:
    """Draw names of several origins: consecutive counters in either direction, or any names."""
    if choices.chance(0.4):
        return [choices.pick(_NAMES) for _ in range(choices.between(2, 4))]
    head, first = choices.pick(("f1", "block", "mlp")), choices.between(0, 9)
    names = [f"{head}_{first + at}" for at in range(choices.between(2, 4))]
    return names[::-1] if choices.chance(0.3) else names


def fragment_attributes(features: Features, choices: Choices, fragment: Fragment) -> list[str]:
    """Draw the attributes of a fragment."""
    words: list[str] = []
    if features.host_compute and choices.chance(0.05):
        # It has no effect on fragments, only on the ops of a body.
        words.append('mhlo.frontend_attributes = {_xla_compute_type = "host"}')
    if features.remat and choices.chance(0.1):
        words.append("remat")
    if features.reserved_bytes and choices.chance(0.08):
        name = choices.pick(("reserved_hbm_bytes", "xla_tpu_user_reserved_hbm_bytes"))
        words.append(f"{name} = {choices.pick((0, 64, 4096, 1 << 33))} : i64")
    if features.fragment_attributes and choices.chance(0.1):
        words += _single(features, choices, fragment.body)
    if fragment.inferred:
        words += _inferred_by(features, choices)
    elif features.call_counters and _is_counted(choices, fragment):
        words.append(f"call_counter = {_call_counter(choices, fragment)} : ui32")
    return words


def _is_counted(choices: Choices, fragment: Fragment) -> bool:
    return choices.chance(0.9 if (fragment.seed or 0) % 3 == 0 else 0.1)


def _call_counter(choices: Choices, fragment: Fragment) -> int:
    """Draw a call counter, usually ascending or descending in program order."""
    upwards = Choices(fragment.seed or 0).chance(0.6)
    if choices.chance(0.15):
        return choices.between(0, 4)
    return fragment.repetition if upwards else max(0, 6 - fragment.repetition)


def _inferred_by(features: Features, choices: Choices) -> list[str]:
    names = (*_LISTED, *_UNLISTED) if features.mistakes else _LISTED
    if features.mistakes and choices.chance(0.3):
        return []
    passes = [choices.pick(names)]
    if choices.chance(0.4):
        passes += choices.some(names, 2)
    quoted = ", ".join(f'"{name}"' for name in passes)
    return [f"mpmd.inferred_by = [{quoted}]"]


def _single(features: Features, choices: Choices, body: Body) -> list[str]:
    """Draw attributes of single arguments and results: bodies with others are not grouped."""
    notes = ['jax.note = "a"', 'jax.note = "b"']
    if features.mistakes:
        notes += ["jax.buffer_donor = true", "tf.aliasing_output = 0 : i32"]
    words = []
    for name, slots in (("arg_attrs", body.arguments), ("res_attrs", body.results)):
        if choices.chance(0.7):
            noted = (choices.pick(notes) if choices.chance(0.5) else "" for _ in slots)
            words.append(f"{name} = [{', '.join(f'{{{note}}}' for note in noted)}]")
    return words
