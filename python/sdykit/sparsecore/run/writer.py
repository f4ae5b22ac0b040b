"""Writing a run: a folder that is there whole, or not at all."""

from __future__ import annotations

import io
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from sdykit.sparsecore.chip import CHIPS
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.run.keys import ARRAYS_FILE, CHIP_FILE, JSON_FILE, text_of
from sdykit.sparsecore.run.model import Run
from sdykit.sparsecore.run.reader import COLUMNS, FIGURES, is_run


def write_run(path: str | os.PathLike[str], run: Run, *, overwrite: bool = False) -> None:
    """Write a run as a folder, whole or not at all.

    Args:
        path: the folder; its parent is there, and it is not, or empty.
        run: the run; its own path does not matter.
        overwrite: whether a run that is there is replaced.

    Raises:
        SparseCoreError: the folder is there already, or cannot be written.
    """
    folder = Path(path).absolute()
    check_folder(folder, overwrite=overwrite)
    part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    try:
        part.mkdir()
        _fill(part, run)
        _replace(folder, part)
    except OSError as error:
        raise SparseCoreError(f"cannot write '{folder}': {error.strerror or error}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def check_folder(folder: Path, *, overwrite: bool) -> None:
    """Check that a run can be written to a folder.

    Raises:
        SparseCoreError: the folder is there already, and is not to be overwritten; or its parent is not
            there.
    """
    if not folder.parent.is_dir():
        raise SparseCoreError(f"cannot write '{folder}': there is no folder '{folder.parent}'")
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not is_run(folder):
        raise SparseCoreError(
            f"'{folder}' is there already, and is not a run; expected a folder that is not there"
        )
    if not overwrite:
        raise SparseCoreError(
            f"'{folder}' has a run already; expected another folder, or overwrite=True"
        )


def _fill(folder: Path, run: Run) -> None:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **_arrays(run))
    (folder / ARRAYS_FILE).write_bytes(buffer.getvalue())
    if run.chip not in CHIPS:
        target = folder / f"{CHIP_FILE}{Path(run.chip).suffix}"
        target.write_bytes(Path(run.chip).read_bytes())
    text = text_of(run, len(buffer.getvalue()))
    (folder / JSON_FILE).write_text(text, encoding="utf-8")


def _arrays(run: Run) -> dict[str, Any]:
    parts: dict[str, Any] = {
        name: (getattr(run, name), kind.kinds()) for name, kind in COLUMNS.items()
    }
    parts["sampled"] = (run.sampled, FIGURES)
    arrays = {
        f"{part}/{name}": getattr(held, name)
        for part, (held, names) in parts.items()
        for name in names
    }
    for number, batch in enumerate(run.ids):
        for at, (values, splits) in enumerate(batch.ids.values()):
            arrays[f"ids/{number}/{at}/values"] = values
            arrays[f"ids/{number}/{at}/splits"] = splits
    return arrays


def _replace(folder: Path, part: Path) -> None:
    """Put a folder where another one, a run, may be."""
    if not folder.exists() or not any(folder.iterdir()):
        part.rename(folder)
        return
    old = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    folder.rename(old)
    try:
        part.rename(folder)
    except OSError:
        old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
