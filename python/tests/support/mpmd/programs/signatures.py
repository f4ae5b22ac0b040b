"""Arguments and results of a function: which values it returns, and their attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from support.generators.choices import Choices
from support.mpmd.programs.features import Features
from support.mpmd.programs.programs import Program
from support.mpmd.programs.types import Tensor, Value


@dataclass(frozen=True)
class Marks:
    """The attributes that a value has as an argument and as a result."""

    layout: str | None
    memory_kind: str | None

    @property
    def words(self) -> list[str]:
        layout = [f'mhlo.layout_mode = "{self.layout}"'] if self.layout else []
        kind = [f'mhlo.memory_kind = "{self.memory_kind}"'] if self.memory_kind else []
        return [*layout, *kind]


def choose_results(program: Program, choices: Choices) -> list[Value]:
    """Choose what the function returns: what has no use, perhaps others too.

    Where clean-up passes may have work: anything, arguments and one value twice as well.
    """
    computed = [value for value in program.values if value.producer != "argument"]
    if not program.features.oracle and choices.chance(0.6):
        found = program.values
        return [choices.pick(found) for _ in range(choices.between(0, 4))] if found else []
    unused = [value for value in computed if not value.used]
    used = [value for value in computed if value.used]
    return choices.shuffled([*unused, *choices.some(used, 2)])


def arguments_text(program: Program, results: Sequence[Value]) -> str:
    """Return the arguments with their attributes as text."""
    features, aliased = program.features, set[int]()
    taken = []
    for value in program.arguments:
        # Its own choices: they stay while other arguments are left out.
        choices = Choices(value.seed)
        words = _marks(program, value, results).words
        if features.donation and choices.chance(0.4):
            words.append(_donation(choices.fork(), value, results, aliased))
        attributes = f" {{{', '.join(words)}}}" if words else ""
        place = program.location(choices.fork())
        taken.append(f"{value.name}: {value.type.text}{attributes}{place}")
    return ", ".join(taken)


def _donation(choices: Choices, value: Value, results: Sequence[Value], aliased: set[int]) -> str:
    """Return a donation: to any result, to one without an alias, or to a missing one."""
    free = [at for at in range(len(results)) if at not in aliased]
    same = [at for at in free if results[at].type == value.type]
    if not free or choices.chance(0.5):
        return "jax.buffer_donor = true"
    if choices.chance(0.1):
        return f"tf.aliasing_output = {len(results)} : i32"
    at = choices.pick(same or free)
    aliased.add(at)
    return f"tf.aliasing_output = {at} : i32"


def results_text(program: Program, choices: Choices, results: Sequence[Value]) -> str:
    """Return the types of the results with their attributes as text."""
    return ", ".join(
        f"{value.type.text}{_result_words(program, choices, value, results)}" for value in results
    )


def _result_words(
    program: Program, choices: Choices, value: Value, results: Sequence[Value]
) -> str:
    marks = _marks(program, value, results)
    if program.features.mistakes and choices.chance(0.2):
        marks = Marks(random_layout(choices, value.type.tensor), "pinned_host")
    return f" {{{', '.join(marks.words)}}}" if marks.words else ""


def _marks(program: Program, value: Value, results: Sequence[Value]) -> Marks:
    choices, features = Choices(value.seed ^ 1), program.features
    layout = None
    if features.layouts and choices.chance(0.35):
        layout = random_layout(choices, value.type.tensor)
    return Marks(layout, _memory_kind(features, choices, value, value in results))


def _memory_kind(features: Features, choices: Choices, value: Value, returned: bool) -> str | None:
    """Draw the memory kind that goes with where fragments put a value, and what uses it."""
    drawn = choices.chance(0.15)
    is_argument = value.producer == "argument"
    if value.placed and returned:
        return "pinned_host"
    if not features.memory_kinds or not drawn:
        return None
    # The verifier rejects transfers from there.
    if is_argument and not value.transfer_uses and choices.chance(0.7):
        return "pinned_host"
    # Users of one argument must have equal attributes: here an absent one is not the device.
    free = features.mistakes or not is_argument
    return "device" if free or not (returned and value.used) else None


def random_layout(choices: Choices, tensor: Tensor) -> str:
    """Draw a layout mode: the default, any, or an order of the dimensions."""
    order = choices.shuffled(range(len(tensor.shape)))
    explicit = "{" + ",".join(map(str, order)) + "}"
    return choices.pick(("default", "auto", explicit, explicit))
