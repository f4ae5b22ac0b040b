"""`-sdy-add-func-data-flow-edges`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._call_graph import calls_of, functions_of, is_declaration

SHARDING = "sdy.sharding"
