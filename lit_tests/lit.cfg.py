"""How lit runs the tests in this directory: `lit lit_tests`, or `make lit`.

FileCheck is PyPI's `filecheck`; with LIT_FILECHECK=llvm in the environment it is
LLVM's, and with LIT_FILECHECK=/a/path it is the program at that path.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import lit.formats

# The environment's programs: those beside the python that runs lit.
BIN = Path(sys.executable).parent
LLVM = Path("/usr/lib/llvm-22/bin")


def program(name: str, *directories: Path) -> str:
    """Find a program in the directories, then on the path."""
    places = os.pathsep.join([*map(str, directories), os.environ.get("PATH", "")])
    found = shutil.which(name, path=places)
    if found is None:
        lit_config.fatal(f"{name} not found in {places}")
    return found


def filecheck() -> str:
    """The FileCheck that the environment asks for."""
    asked = os.environ.get("LIT_FILECHECK", "")
    if not asked:
        return program("filecheck", BIN)
    if asked == "llvm":
        versioned = shutil.which("FileCheck-22")
        return versioned or program("FileCheck", LLVM)
    return program(asked)


source = Path(__file__).resolve().parent

config.name = "sdykit"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".hlo", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = str(source)
config.test_exec_root = str(source.parent / "build" / "lit")

# `not` needs no entry: lit's own shell has it. Word boundaries keep
# `sdy-opt` from matching inside a path or a longer name.
NAME = r"(?<![\w./-]){}(?![\w./-])"
config.substitutions += [
    *[
        (NAME.format(tool), program(tool, BIN))
        for tool in ("sdy-opt", "sdy_opt", "mpmd-opt", "mpmd_opt", "hlo-opt", "hlo_opt")
    ],
    (NAME.format("FileCheck"), filecheck()),
    ("%python", sys.executable),
]
