"""Optimizers: slots, hyperparameters of a step, and the errors about bad fields."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import (
    F2A,
    FTRL,
    OPTIMIZERS,
    SGD,
    Adagrad,
    AdagradMomentum,
    Adam,
    Custom,
    LaProp,
    Optimizer,
    RowWiseAdagrad,
    make_optimizer,
)

F32 = np.float32


def no_change(_gradient: Any, table: Any, *slots_and_scalars: Any) -> Any:
    del slots_and_scalars
    return (table,)


def test_names_and_default_slots():
    optimizers = [kind(0.1) for name, kind in OPTIMIZERS.items() if name != "custom"]
    assert {each.name: each.slots for each in optimizers} == {
        "sgd": {},
        "adagrad": {"accumulator": 0.1},
        "row_wise_adagrad": {"accumulator": 0},
        "adagrad_momentum": {"accumulator": 0.1, "momentum": 0},
        "adam": {"momentum": 0, "velocity": 0},
        "ftrl": {"accumulator": 0.1, "linear": 0},
        "laprop": {"mu": 0, "nu": 0},
        "f2a": {"accumulator": 0.1, "local_step": 0},
    }


def test_initial_values_of_slots_are_fields():
    assert Adagrad(0.1, initial_accumulator_value=2).slots == {"accumulator": 2}
    assert LaProp(0.1, initial_slot_value=3).slots == {"mu": 3, "nu": 3}
    assert FTRL(0.1, initial_linear_value=-1).slots == {"accumulator": 0.1, "linear": -1}


def test_hyperparameters_of_adam_are_those_computed_by_hand():
    scalars = Adam(2.0, beta_1=0.5, beta_2=0.75, epsilon=0.25).hyperparameters(1)
    correction = np.sqrt(F32(1 - 0.75**2))
    assert scalars == {
        "alpha_t": F32(2) * correction / F32(0.75),
        "beta_1": F32(0.5),
        "beta_2": F32(0.75),
        "epsilon_hat": F32(0.25) * correction,
    }


def test_the_decay_of_laprop_is_the_one_computed_by_hand():
    assert LaProp(0.1, b2=0.5).hyperparameters()["decay_rate"] == 0.5
    assert LaProp(0.1, b2=0.5).hyperparameters(0)["decay_rate"] == 0
    assert LaProp(0.1, b2=0.5).hyperparameters(2)["decay_rate"] == F32(0.5 * 0.75) / F32(0.875)


def test_a_step_can_have_its_own_learning_rate():
    assert SGD(0.1).hyperparameters(3, learning_rate=0.2) == {"learning_rate": F32(0.2)}
    adam = Adam(0.5).hyperparameters(3, learning_rate=1.0)
    assert adam["alpha_t"] == 2 * Adam(0.5).hyperparameters(3)["alpha_t"]


def test_row_slots_have_one_number_for_each_row():
    assert RowWiseAdagrad(0.1).row_slots == ("accumulator",)
    assert RowWiseAdagrad(0.1).hyperparameters(3) == {
        "learning_rate": F32(0.1),
        "epsilon": F32(1e-8),
    }
    custom = Custom(
        0.1, update=no_change, slot_values=(("m", 1.0),), row_slot_values=(("seen", 2.0),)
    )
    assert custom.slots == {"m": 1, "seen": 2}
    assert custom.row_slots == ("seen",)
    assert Adagrad(0.1).row_slots == ()


def test_global_step_of_f2a_is_the_step():
    assert F2A(0.1).hyperparameters()["global_step"] == 0
    assert F2A(0.1).hyperparameters(7)["global_step"] == 7


def test_optimizers_are_hashed_and_compared_by_their_fields():
    assert Adagrad(0.1) == Adagrad(0.1) != Adagrad(0.2)
    assert SGD(0.1) != Adagrad(0.1)
    kinds = {kind(0.1) for name, kind in OPTIMIZERS.items() if name != "custom"}
    assert len(kinds) == 8
    assert hash(Custom(0.1, update=no_change)) == hash(Custom(0.1, update=no_change))


def test_optimizers_are_made_by_name():
    assert make_optimizer("ftrl", learning_rate=0.1, beta=0.2) == FTRL(0.1, beta=0.2)
    for name, kind in OPTIMIZERS.items():
        assert kind.name == name


def test_custom_optimizers_have_the_given_slots_and_scalars():
    custom = Custom(
        0.1, update=no_change, slot_values=(("v", 2.0),), more_hyperparameters=(("decay", 0.5),)
    )
    assert custom.slots == {"v": 2}
    assert custom.hyperparameters(4) == {"learning_rate": F32(0.1), "decay": F32(0.5)}


ERRORS: list[tuple[Any, str]] = [
    (
        lambda: Custom(0.1, update=no_change, slot_values=(("v", 0),), row_slot_values=(("v", 0),)),
        "optimizer custom: slot_values and row_slot_values both name 'v'; expected it in one",
    ),
    (
        lambda: RowWiseAdagrad(0.1, epsilon=-1),
        "optimizer row_wise_adagrad: epsilon is -1; expected a finite number >= 0",
    ),
    (
        lambda: make_optimizer("adagrd", learning_rate=1),
        "optimizer: the name is 'adagrd'; expected one of sgd, adagrad, row_wise_adagrad, "
        "adagrad_momentum, adam, ftrl, laprop, f2a, custom; did you mean 'adagrad'?",
    ),
    (
        lambda: make_optimizer(3),  # type: ignore[arg-type]
        "optimizer: the name is 3; expected one of sgd, adagrad, row_wise_adagrad, "
        "adagrad_momentum, adam, ftrl, "
        "laprop, f2a, custom",
    ),
    (
        lambda: make_optimizer("sgd", learning_rat=1),
        "optimizer sgd: it has no 'learning_rat'; expected one of learning_rate, min_value, "
        "max_value; did you mean 'learning_rate'?",
    ),
    (lambda: make_optimizer("adam"), "optimizer adam: learning_rate is missing"),
    (
        lambda: Optimizer(0.1),
        "optimizer: Optimizer has no update rule; expected one of its subclasses, "
        "for instance SGD(0.01)",
    ),
    (
        lambda: SGD("fast"),  # type: ignore[arg-type]
        "optimizer sgd: learning_rate is 'fast'; expected a finite number",
    ),
    (
        lambda: SGD(True),
        "optimizer sgd: learning_rate is True; expected a finite number",
    ),
    (
        lambda: SGD(float("nan")),
        "optimizer sgd: learning_rate is nan; expected a finite number",
    ),
    (
        lambda: SGD(1e39),
        "optimizer sgd: learning_rate is 1e+39; expected a finite number",
    ),
    (
        lambda: SGD(0.1, min_value=2, max_value=1),
        "optimizer sgd: min_value is 2 and max_value is 1; expected min_value <= max_value",
    ),
    (
        lambda: SGD(0.1, max_value=float("inf")),
        "optimizer sgd: max_value is inf; expected a finite number",
    ),
    (
        lambda: Adam(0.1, beta_1=0.999999999),
        "optimizer adam: beta_1 is 0.999999999; expected a number in [0, 1), also as float32",
    ),
    (
        lambda: FTRL(0),
        "optimizer ftrl: learning_rate is 0; expected a finite number other than 0",
    ),
    (
        lambda: FTRL(0.1, learning_rate_power=0.5),
        "optimizer ftrl: learning_rate_power is 0.5; expected a finite number <= 0",
    ),
    (
        lambda: AdagradMomentum(0.1, exponent=0),
        "optimizer adagrad_momentum: exponent is 0; expected a finite number > 0",
    ),
    (
        lambda: AdagradMomentum(0.1, beta2=1.5),
        "optimizer adagrad_momentum: beta2 is 1.5; expected a number in [0, 1]",
    ),
    (
        lambda: AdagradMomentum(0.1, use_nesterov=1),  # type: ignore[arg-type]
        "optimizer adagrad_momentum: use_nesterov is 1; expected True or False",
    ),
    (
        lambda: F2A(0.1, initial_accumulator_value=-1),
        "optimizer f2a: initial_accumulator_value is -1; expected a finite number >= 0",
    ),
    (
        lambda: SGD(0.1).hyperparameters(-1),
        "optimizer sgd: step is -1; expected an integer >= 0 or None",
    ),
    (
        lambda: F2A(0.1).hyperparameters(0.5),  # type: ignore[arg-type]
        "optimizer f2a: step is 0.5; expected an integer >= 0 or None",
    ),
    (
        lambda: FTRL(0.1).hyperparameters(1, learning_rate=0.0),
        "optimizer ftrl: learning_rate is 0.0; expected a finite number other than 0",
    ),
    (
        lambda: Custom(0.1, update=3),  # type: ignore[arg-type]
        "optimizer custom: update is 3; expected a function",
    ),
    (
        lambda: Custom(0.1, update=no_change, slot_values={"v": 0.0}),  # type: ignore[arg-type]
        "optimizer custom: slot_values is {'v': 0.0}; expected pairs of a name and a number, "
        'for instance (("velocity", 0.0),)',
    ),
    (
        lambda: Custom(0.1, update=no_change, slot_values=(("v", 0.0), ("v", 1.0))),
        "optimizer custom: slot_values names 'v' twice; expected different names",
    ),
    (
        lambda: Custom(0.1, update=no_change, more_hyperparameters=(("k", "x"),)),  # type: ignore[arg-type]
        "optimizer custom: more_hyperparameters: k is 'x'; expected a finite number",
    ),
    (
        lambda: Custom(0.1, update=no_change, more_hyperparameters=(("learning_rate", 1),)),
        "optimizer custom: more_hyperparameters names 'learning_rate'; "
        "expected other names, it comes first already",
    ),
]


@pytest.mark.parametrize(("make", "message"), ERRORS, ids=[text[:60] for _, text in ERRORS])
def test_a_bad_field_is_an_error(make: Any, message: str):
    with pytest.raises(SparseCoreError) as error:
        make()
    assert str(error.value) == message
