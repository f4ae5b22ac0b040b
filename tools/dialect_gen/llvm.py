"""Finds and runs LLVM's TableGen tools."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

VERSION = 22
_HINT = f"""\
cannot find {{tool}} of LLVM {VERSION}, which is needed to generate code from dialects/*/*.td.
Install the Debian packages llvm-{VERSION}, mlir-{VERSION}-tools and libmlir-{VERSION}-dev \
(from apt.llvm.org where
the distribution has none), or set LLVM_BIN to the directory that holds the tools.
They are needed to change dialects/ only: the generated files are committed."""


class ToolError(Exception):
    """A tool is missing or failed; the text names it, and what to do."""


@dataclass(frozen=True)
class Tools:
    """The TableGen programs, and the directory of MLIR's own `.td` files."""

    llvm_tblgen: Path
    mlir_tblgen: Path
    include: Path

    @classmethod
    def find(cls) -> Tools:
        """Find the tools in `LLVM_BIN`, by their versioned names, or where Debian puts them.

        Raises:
            ToolError: a tool or MLIR's `.td` files are missing, or of another version.
        """
        llvm_tblgen, mlir_tblgen = _find("llvm-tblgen"), _find("mlir-tblgen")
        for tool in (llvm_tblgen, mlir_tblgen):
            _check_version(tool)
        include = mlir_tblgen.resolve().parent.parent / "include"
        if not (include / "mlir/IR/OpBase.td").is_file():
            raise ToolError(_HINT.format(tool="mlir/IR/OpBase.td"))
        return cls(llvm_tblgen, mlir_tblgen, include)

    def records(self, source: Path) -> dict[str, Any]:
        """Return all records of a `.td` file, as `llvm-tblgen --dump-json` writes them."""
        return json.loads(self._run(self.llvm_tblgen, source, "--dump-json"))

    def generate(self, source: Path, *arguments: str) -> str:
        """Return the output of a backend of `mlir-tblgen` for a `.td` file."""
        return self._run(self.mlir_tblgen, source, *arguments)

    def _run(self, tool: Path, source: Path, *arguments: str) -> str:
        # Run in `dialects`, so that no output depends on the place of the checkout.
        root = source.parent.parent
        file = str(source.relative_to(root))
        command = [str(tool), *arguments, "-I", str(self.include), "-I", ".", file]
        result = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise ToolError(f"{tool.name} {arguments[0]} {file} failed:\n{result.stderr}")
        return result.stdout


def _check_version(tool: Path) -> None:
    """Check the version of a tool: others write other text than the committed files."""
    result = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"LLVM version (\d+)", result.stdout)
    if match is None or int(match[1]) != VERSION:
        found = match[0] if match else "no LLVM tool"
        raise ToolError(f"{tool} is {found}; LLVM {VERSION} is needed")


def _find(tool: str) -> Path:
    directories = [Path(f"/usr/lib/llvm-{VERSION}/bin")]
    if configured := os.environ.get("LLVM_BIN"):
        directories = [Path(configured)]
    elif versioned := shutil.which(f"{tool}-{VERSION}"):
        return Path(versioned)
    for directory in directories:
        if (directory / tool).is_file():
            return directory / tool
    raise ToolError(_HINT.format(tool=tool))
