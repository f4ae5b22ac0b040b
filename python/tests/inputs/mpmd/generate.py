"""Write the pipelined programs of `examples/models` into this directory, partitioned.

    python python/tests/inputs/mpmd/generate.py [DIRECTORY]

Each module is an input of the export passes. Locations contain the call stack, so run this file
as a program: then the stack, and with it the text, is the same every time.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import jax

HERE = Path(__file__).resolve().parent
TESTS = HERE.parents[1]
ROOT = TESTS.parents[1]

sys.path[:0] = [str(ROOT), str(ROOT / "python")]

from examples.models import (  # noqa: E402
    offloaded_mlp,
    pipelined_decoder,
    pipelined_mlp,
    pipelined_transformer,
)
from examples.models.pipeline import Pipeline  # noqa: E402

_REMAT = pipelined_mlp.Config(microbatches=3, schedule="1F1B")
_SPLIT = pipelined_mlp.Config(microbatches=3, schedule="ZeroBubbleH1")
_TIED = pipelined_transformer.Config(tied=True, microbatches=2, schedule="GPipe")

PIPELINES: dict[str, Callable[[], Pipeline]] = {
    "decoder_debuginfo": pipelined_decoder.pipeline,
    "decoder": pipelined_decoder.pipeline,
    "mlp_debuginfo": pipelined_mlp.pipeline,
    "mlp": pipelined_mlp.pipeline,
    "mlp_remat": lambda: pipelined_mlp.pipeline(_REMAT),
    "mlp_split": lambda: pipelined_mlp.pipeline(_SPLIT),
    "offloaded_mlp": offloaded_mlp.pipeline,
    "transformer": pipelined_transformer.pipeline,
    "transformer_tied_debuginfo": lambda: pipelined_transformer.pipeline(_TIED),
}

OPTIONS: dict[str, dict[str, bool]] = {
    "mlp_remat": {"remat": True},
    "mlp_split": {"split_backward": True},
}
"""Options of `from_jax` for some programs."""


def header(*, debuginfo: bool) -> str:
    """Return a line with the versions that the text of a module depends on."""
    # Python's bytecode decides the columns in locations.
    python = f" on Python {sys.version_info.major}.{sys.version_info.minor}" if debuginfo else ""
    return f"// Lowered by JAX {jax.__version__}{python}; written by generate.py.\n"


def main(directory: Path) -> None:
    """Write all modules, with paths in locations relative to the repository."""
    jax.config.update("jax_hlo_source_file_canonicalization_regex", re.escape(f"{ROOT}/"))
    for name, make in PIPELINES.items():
        jax.clear_caches()  # a function that was traced before keeps the stack of its first call
        debuginfo = name.endswith("_debuginfo")
        text = make().text(debuginfo=debuginfo, **OPTIONS.get(name, {}))
        path = directory / f"{name}.mlir"
        path.write_text(header(debuginfo=debuginfo) + text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
