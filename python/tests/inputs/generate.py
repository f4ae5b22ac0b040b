"""Write the modules of `examples/models` into this directory, as JAX lowers them.

    python python/tests/inputs/generate.py [DIRECTORY]

Each module is written twice, without and with locations. Locations hold the call stack, so
run this file as a program: then the stack, and with it the text, is the same every time.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import jax

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]

sys.path[:0] = [str(ROOT), str(ROOT / "python")]

from examples.models import control_flow, mixture_of_experts, recommender, transformer  # noqa: E402
from examples.models.program import Program  # noqa: E402

PROGRAMS: dict[str, Callable[[], Program]] = {
    "control_flow": control_flow.program,
    "mixture_of_experts": mixture_of_experts.program,
    "recommender": recommender.program,
    "transformer": transformer.program,
    "transformer_scan": lambda: transformer.program(transformer.Config(scan=True)),
}


def header(*, debuginfo: bool) -> str:
    """Name what the text of a module depends on besides the program."""
    # Python's bytecode decides the columns in locations.
    python = f" on Python {sys.version_info.major}.{sys.version_info.minor}" if debuginfo else ""
    return f"// Lowered by JAX {jax.__version__}{python}; written by generate.py.\n"


def main(directory: Path) -> None:
    """Write all modules, with paths in locations relative to the repository."""
    jax.config.update("jax_hlo_source_file_canonicalization_regex", re.escape(f"{ROOT}/"))
    for name, make in PROGRAMS.items():
        for debuginfo, ending in ((False, ".mlir"), (True, "_debuginfo.mlir")):
            jax.clear_caches()  # a function traced before keeps the stack of its first call
            text = header(debuginfo=debuginfo) + make().text(debuginfo=debuginfo)
            (directory / (name + ending)).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
