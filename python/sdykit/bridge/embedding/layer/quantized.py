"""The features of a trained layer with int8 tables, for inference."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sdykit.bridge.embedding.layer.stacks import describe_stack
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.int8 import int8_tables
from sdykit.sparsecore.specs import FeatureSpec, TableSpec
from sdykit.sparsecore.stacking import Stack


def quantize_features(
    features: Sequence[FeatureSpec], stacks: Sequence[Stack], tables: Mapping[str, np.ndarray]
) -> tuple[tuple[FeatureSpec, ...], dict[str, npt.NDArray[np.int8]]]:
    """Return the features of int8 tables, and the tables by name.

    The tables of a stack have one range, so that they stay in one stack: that of their specifications,
    or else their smallest and largest element.

    Args:
        features: the features of the layer.
        stacks: its stacks.
        tables: its trained tables by name.

    Raises:
        SparseCoreError: a table is not float32, or holds NaN or an infinity; or its specification has
            more than 256 buckets. The text names the tables of the stack.
    """
    specs: dict[str, TableSpec] = {}
    converted: dict[str, npt.NDArray[np.int8]] = {}
    for stack in stacks:
        own = [each.spec for each in stack.tables]
        try:
            arrays, quantization = int8_tables(
                {each.name: tables[each.name] for each in own}, own[0].quantization
            )
        except SparseCoreError as error:
            raise SparseCoreError(f"quantized: {describe_stack(stack)}: {error}") from None
        converted |= arrays
        for each in own:
            specs[each.name] = dataclasses.replace(each, dtype="int8", quantization=quantization)
    of_int8 = tuple(dataclasses.replace(each, table=specs[each.table.name]) for each in features)
    return of_int8, converted
