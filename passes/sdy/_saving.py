"""Writing a module into a directory, for debugging."""

from __future__ import annotations

from pathlib import Path

from sdykit.core import fail, warn
from sdykit.mlir import ModuleOp


def save_module(module: ModuleOp, directory: str, number: int, name: str, text: str = "") -> None:
    """Write a module to `<directory>/<number>.<name>.mlir`; the directory is made if there is none.

    Args:
        module: the module; an error is at its location.
        directory: the directory.
        number: what the name of the file begins with, in two digits or more.
        name: the rest of the name.
        text: what is written in place of the module's own text, unless empty.

    Raises:
        PassFailure: the file cannot be written.
    """
    path = Path(directory) / f"{number:02}.{name}.mlir"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text or str(module.operation.get_asm()), encoding="utf-8")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        fail(
            module.location,
            f"cannot write '{path}': {why}; expected a directory that files can be written to",
        )


def warn_of_no_files(module: ModuleOp, directory: str) -> None:
    """Warn that a propagation which knows no user priorities writes nothing to a directory, if one is given."""
    if directory:
        warn(
            module.location,
            f"nothing is written to '{directory}': this pass propagates at one priority; "
            "-sdy-user-priority-propagate writes the module after each, -sdy-save-module anywhere",
        )
