"""Ids in parquet: a column for a feature, of integers or of lists of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.files.pieces import Integers, Piece, missing_feature

_ROWS = 1 << 16
"""The maximum number of rows in a piece."""


def read_parquet(path: Path, features: Sequence[str]) -> Iterator[Piece]:
    """Read a file and yield its samples piece by piece.

    Raises:
        SparseCoreError: as for `read_batches`.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise SparseCoreError(
            f"{path}: error: parquet is read with pyarrow, which is not installed; "
            "install sdykit[parquet]"
        ) from None
    try:
        with pq.ParquetFile(path) as file:
            _check_columns(path, features, file.schema_arrow.names)
            rows = max(1, file.metadata.num_rows)
            before = 0
            for batch in file.iter_batches(_ROWS, columns=list(features)):
                before += batch.num_rows
                columns = {name: _column(path, name, batch.column(name)) for name in features}
                yield Piece(
                    batch.num_rows,
                    {name: column[0] for name, column in columns.items()},
                    {name: column[1] for name, column in columns.items()},
                    before / rows,
                )
    except OSError as error:
        raise SparseCoreError(f"cannot read '{path}': {error.strerror or error}") from None
    except pa.ArrowException as error:
        raise SparseCoreError(f"{path}: error: {error}") from None


def _check_columns(path: Path, features: Sequence[str], columns: list[str]) -> None:
    for name in features:
        if name not in columns:
            raise missing_feature(path, name, "column", columns)
        if columns.count(name) > 1:
            raise SparseCoreError(
                f"{path}: error: there are {columns.count(name)} columns {name}; expected one"
            )


def _column(path: Path, name: str, column: Any) -> tuple[Integers, Integers]:
    """Return values and splits of a column of ids or lists of ids; null is a list without ids."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    is_list = (
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )
    if not pa.types.is_integer(kind.value_type if is_list else kind):
        raise SparseCoreError(
            f"{path}: error: column {name} is {kind}; expected integers or lists of them"
        )
    if is_list:
        lengths = pc.call_function("list_value_length", [column]).fill_null(0)
        values = column.flatten()  # It skips the values below nulls.
        if values.null_count:
            raise SparseCoreError(f"{path}: error: column {name} has a list with a null in it")
    else:
        lengths, values = column.is_valid(), column.drop_null()
    splits = np.zeros(len(column) + 1, np.int64)
    np.cumsum(lengths.to_numpy(zero_copy_only=False).astype(np.int64), out=splits[1:])
    return values.cast(pa.int64()).to_numpy(zero_copy_only=False), splits
