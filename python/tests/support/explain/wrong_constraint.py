"""A training step of a transformer in which one constraint is wrong: the scores are whole along the heads."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from support import ROOT

MODEL = ROOT / "examples" / "models" / "transformer.py"
RIGHT = 'with_sharding_constraint(scores, P("data", "model", None, None))'
WRONG = 'with_sharding_constraint(scores, P("data", None, None, None))'


def write_model(folder: Path) -> tuple[Path, int]:
    """Write the file with the wrong constraint, and return its path and the line of the constraint."""
    text = MODEL.read_text()
    assert text.count(RIGHT) == 1
    path = folder / "wrong_transformer.py"
    path.write_text(text.replace(RIGHT, WRONG))
    return path, text[: text.index(RIGHT)].count("\n") + 1


def module_text(path: Path, **config: int) -> str:
    """Return the module of the training step in a file, with its lines."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # For its dataclasses.
    spec.loader.exec_module(module)
    return module.program(module.Config(**config)).text(debuginfo=True)
