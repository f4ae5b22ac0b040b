"""Write a module as a portable artifact of StableHLO: `to_vhlo.py module.mlir artifact`."""

import sys
from pathlib import Path

from sdykit.mlir import ir, make_context, stablehlo

module = ir.Module.parse(Path(sys.argv[1]).read_text(), make_context())
artifact = stablehlo.serialize_portable_artifact(module, stablehlo.get_current_version(), True)
Path(sys.argv[2]).write_bytes(artifact)
