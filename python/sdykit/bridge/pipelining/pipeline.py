"""Training steps in which SparseCores work beside the TensorCore."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp

from sdykit.bridge.embedding.layer.checks import Batch
from sdykit.bridge.embedding.layer.embedding import Embedding
from sdykit.bridge.embedding.layer.variables import Variables
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.pipelining.checks import check_arguments, check_results, check_state
from sdykit.bridge.pipelining.overlap import overlapped
from sdykit.bridge.pipelining.schedule import asynchronous_hlo
from sdykit.bridge.pipelining.state import (
    Differentiated,
    LookedUp,
    PipelineState,
    joined,
    parted,
)

Dense = Callable[[Any, dict[str, jax.Array], Any], tuple[Any, Mapping[str, Any], Any]]
"""`(carry, activations, inputs) -> (carry, gradients, outputs)`."""


def pipelined(embedding: Embedding, dense: Dense, *, learning_rate: Any = None) -> Pipeline:
    """Return training steps in which SparseCores look up the next batch beside the TensorCore.

    With `tf_xla_disable_full_embedding_pipelining` in the configuration of the layer they do not: then
    a step looks up its batch, runs `dense` and updates the tables, in this order.

    Args:
        embedding: the tables.
        dense: the work of the TensorCore, a function `(carry, activations, inputs) -> (carry,
            gradients, outputs)` that JAX can trace. `carry` is what it changes, such as weights;
            `activations` are those of the batch by name of the feature, and `gradients` a
            dictionary like them; `inputs` is what else it takes of the batch, such as labels; all
            are pytrees of whole arrays.
        learning_rate: the learning rate of the tables: as in `Embedding.update`, or a function of
            the number of the batch, an int32 scalar, that returns it.

    Raises:
        BridgeError: an argument is of another type.
    """
    check_arguments(embedding, dense)
    return Pipeline(embedding, dense, learning_rate)


@dataclasses.dataclass(frozen=True, eq=False)
class Pipeline:
    """Training steps; `pipelined` makes it.

    Attributes:
        embedding: the tables.
        dense: the work of the TensorCore.
        learning_rate: the learning rate of the tables, or a function of the number of the batch.
    """

    embedding: Embedding
    dense: Dense
    learning_rate: Any = None

    @property
    def is_on(self) -> bool:
        """Whether SparseCores work beside the TensorCore."""
        return not self.embedding.settings.config.tf_xla_disable_full_embedding_pipelining

    def init(self, variables: Variables, carry: Any) -> PipelineState:
        """Return the state before the first batch."""
        step = jnp.int32(0)
        if self.embedding.mesh is not None:
            same = jax.sharding.NamedSharding(self.embedding.mesh, jax.sharding.PartitionSpec())
            step = jax.device_put(step, same)
        return PipelineState(variables, carry, step)

    def step(self, state: PipelineState, batch: Batch, inputs: Any) -> tuple[PipelineState, Any]:
        """Take a step: look up a batch, and train on the one before.

        SparseCores first update the tables with the gradients of the second last batch, then look up
        `batch`; beside that the TensorCore works on the last one. Variables and carry of `state` are
        donated: use those of the returned one.

        Args:
            state: the state that `init` or the last step returned.
            batch: the buffers of `Embedding.preprocess`.
            inputs: what `dense` takes besides of this batch.

        Returns:
            The state, and what `dense` returned as `outputs` for the batch of the last step, or None
            if there is none. Without pipelining these are the outputs for `batch`.

        Raises:
            BridgeError: an argument is of another type, or does not belong to the layer; or `dense`
                returned something else than described.
        """
        check_state("step", state)
        # In the prologue no results can take the place of activations and gradients.
        step = self._steady_step if state.differentiated is not None else self._first_step
        moving, passed, outputs = step(*parted(state), batch, inputs)
        held = state.looked_up
        batches = ((batch, inputs), held and held.batch) if self.is_on else (None, None)
        return joined((moving, passed, batches)), outputs

    def finish(self, state: PipelineState) -> tuple[PipelineState, Any]:
        """Train on the last batch, and apply all gradients.

        Returns:
            The state, with which training can go on, and the outputs of the last batch. Without
            pipelining the state is the given one, and there are no outputs: None.

        Raises:
            BridgeError: the state is not one, or no step was taken since the last `finish`.
        """
        check_state("finish", state)
        if not self.is_on:
            return state, None
        if state.looked_up is None:
            raise BridgeError("finish: no batch is under way; expected a state that step returned")
        moving, passed, outputs = self._last_step(*parted(state))
        return joined((moving, passed, (None, None))), outputs

    def run(
        self, state: PipelineState, batches: Iterable[tuple[Batch, Any]]
    ) -> Iterator[tuple[PipelineState, Any]]:
        """Take a step for each batch, and yield the state and the outputs for each, in order.

        The state that is yielded last is that of `finish`. Each one is donated to the step after it.

        Args:
            state: the state that `init` or `finish` returned.
            batches: pairs `(batch, inputs)`, see `step`.

        Raises:
            BridgeError: as `step`; or `batches` yields something else, or nothing.
        """
        number = -1
        for number, pair in enumerate(batches):
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise BridgeError(
                    f"run: item {number} of batches is of type {type(pair).__name__}; expected a "
                    "tuple (batch, inputs)"
                )
            is_first = self.is_on and state.looked_up is None
            state, outputs = self.step(state, *pair)
            if not is_first:
                yield state, outputs
        if number < 0:
            raise BridgeError("run: batches is empty; expected at least one pair (batch, inputs)")
        if self.is_on:
            yield self.finish(state)

    def schedule(self, state: PipelineState, batch: Batch, inputs: Any) -> str:
        """Return the asynchronous HLO of `step`, as text that `hlo-opt` reads; nothing is executed.

        It is the program of a device after XLA's passes, in which the tile programs of SparseCores are
        chains of `async-start` and `async-done` on the thread `sparsecore`, scheduled by
        `async-schedule` and checked by `async-verify`.

        Args:
            state: a state, or `jax.ShapeDtypeStruct`s of one. With pipelining, the steady state
                begins with the one that the second step returns.
            batch: the buffers of `Embedding.preprocess`.
            inputs: what `dense` takes besides.

        Raises:
            BridgeError: as `step`.
        """
        check_state("schedule", state)
        return asynchronous_hlo(self._first_step.lower(*parted(state), batch, inputs).compile())

    @cached_property
    def _first_step(self) -> Any:
        return _compiled(self._take_step, (0,))

    @cached_property
    def _steady_step(self) -> Any:
        return _compiled(self._take_step, (0, 1))

    @cached_property
    def _last_step(self) -> Any:
        return _compiled(self._take_last, (0,))

    def _take_step(
        self, state: PipelineState, batch: Batch, inputs: Any
    ) -> tuple[PipelineState, Any]:
        if self.is_on:
            return self._take_pipelined(state, batch, inputs)
        return self._take_plain(state, batch, inputs)

    def _take_plain(
        self, state: PipelineState, batch: Batch, inputs: Any
    ) -> tuple[PipelineState, Any]:
        activations = self.embedding.lookup(state.variables, batch)
        gradients, (carry, outputs) = self._run_dense(state.carry, inputs, activations)
        variables = self._update(state.variables, Differentiated(batch, gradients), state.step)
        return PipelineState(variables, carry, state.step + 1), outputs

    def _take_pipelined(
        self, state: PipelineState, batch: Batch, inputs: Any
    ) -> tuple[PipelineState, Any]:
        """Steps of the prologue lack a batch that is looked up, or one that is differentiated."""

        def sparse_cores(
            variables: Variables, last: Differentiated | None, batch: Batch, step: Any
        ) -> tuple[Variables, dict[str, jax.Array]]:
            if last is not None:
                variables = self._update(variables, last, step - 2)
            return variables, self.embedding.lookup(variables, batch)

        arguments = (state.variables, state.differentiated, batch, state.step)
        (variables, activations), gradients, carry, outputs = self._beside(
            sparse_cores, arguments, state
        )
        held = state.looked_up
        return PipelineState(
            variables,
            carry,
            state.step + 1,
            LookedUp(batch, inputs, activations),
            None if held is None else Differentiated(held.batch, gradients),
        ), outputs

    def _take_last(self, state: PipelineState) -> tuple[PipelineState, Any]:
        def sparse_cores(variables: Variables, last: Differentiated | None, step: Any) -> Variables:
            return variables if last is None else self._update(variables, last, step - 2)

        arguments = (state.variables, state.differentiated, state.step)
        variables, gradients, carry, outputs = self._beside(sparse_cores, arguments, state)
        held: Any = state.looked_up
        last = Differentiated(held.batch, gradients)
        variables = self._update(variables, last, state.step - 1)
        return PipelineState(variables, carry, state.step), outputs

    def _beside(
        self,
        sparse_cores: Callable[..., Any],
        arguments: tuple[Any, ...],
        state: PipelineState,
    ) -> tuple[Any, Any, Any, Any]:
        """Run SparseCores beside the dense part of the batch that is looked up.

        Returns:
            The result of `sparse_cores`, gradients, carry and outputs.
        """
        held = state.looked_up
        if held is None:
            return sparse_cores(*arguments), None, state.carry, None
        dense = partial(self._run_dense, state.carry, held.inputs)
        place = self.embedding._place
        found, (gradients, rest) = overlapped(
            place, sparse_cores, arguments, dense, held.activations
        )
        return found, gradients, *rest

    def _run_dense(self, carry: Any, inputs: Any, activations: dict[str, jax.Array]) -> Any:
        found = self.dense(carry, activations, inputs)
        check_results(found, carry, activations)
        carry, gradients, outputs = found
        return dict(gradients), (carry, outputs)

    def _update(self, variables: Variables, last: Differentiated, step: Any) -> Variables:
        rate = self.learning_rate(step) if callable(self.learning_rate) else self.learning_rate
        return self.embedding.update(variables, last.batch, last.gradients, step, rate)


def _compiled(function: Callable[..., tuple[PipelineState, Any]], donated: tuple[int, ...]) -> Any:
    """Return a jitted function of the parts of a state, some of which are donated.

    Batches are not, since they are the user's arrays, nor are they returned: XLA would copy them.
    """

    def run(moving: Any, passed: Any, batches: Any, *rest: Any) -> tuple[Any, Any, Any]:
        state, outputs = function(joined((moving, passed, batches)), *rest)
        return *parted(state)[:2], outputs

    jitted: Any = jax.jit(run, donate_argnums=donated)
    return jitted
