"""`-sdy-save-module`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass
from sdykit.mlir import ModuleOp
from sdykit.passes.sdy._saving import save_module


@dataclass(frozen=True)
class SaveModulePass(ModulePass):
    """Write the module to a file, and leave it as it is.

    The file is `<module-dump-directory>/<dump-index>.<file-name>.mlir`, such as
    `out/00.after_propagation.mlir`. It holds the text of the module without locations; a file of that
    name is overwritten, and a directory that is missing is made.

    The pipelines put this pass where their option `dump-directory` asks for it.
    """

    name = "sdy-save-module"

    module_dump_directory: str
    """The directory that the file is written to."""
    file_name: str = "module"
    """The name of the file, without the number before it and the ending `.mlir`."""
    dump_index: int = 0
    """The number that the name of the file begins with."""

    def run(self, module: ModuleOp) -> None:
        save_module(module, self.module_dump_directory, self.dump_index, self.file_name)
