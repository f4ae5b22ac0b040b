"""What passes are made of, and what runs them.

Read `pass_base` first, then `diagnostics` (`fail`, `warn`), `walks` and `symbols`. The text of a
pipeline is parsed by `pipeline_text`, its names are resolved by `registry`, its options by
`options`; `plan` makes steps of it, and `run` runs them. `upstream` says which C++ passes a
pipeline may name; `ir_printing` and `timing` observe a run; `parsing` and `portable` read modules;
`frontend` warns of shardings that are still text; `mpmd` has questions about MPMD programs, and
`sdy` the rules by which ops are sharded.
"""

from sdykit.core.diagnostics import Diagnostic, FileLocation, Severity, capture, fail, remark, warn
from sdykit.core.pass_base import FunctionPass, ModulePass, Pass, Pipeline
from sdykit.core.portable import PortableArtifactError, read_module
from sdykit.core.registry import Registry
from sdykit.core.run import Instrumentation, RunOptions, run_pipeline
from sdykit.core.sdy.rules import RuleBuilder
from sdykit.core.sdy.user_rules import sharding_rule
from sdykit.core.symbols import FUNC, functions_of, mesh_ops, meshes_of, symbol_name
from sdykit.core.walks import has_single_blocks, ops_named

__all__ = [
    "FUNC",
    "Diagnostic",
    "FileLocation",
    "FunctionPass",
    "Instrumentation",
    "ModulePass",
    "Pass",
    "Pipeline",
    "PortableArtifactError",
    "Registry",
    "RuleBuilder",
    "RunOptions",
    "Severity",
    "capture",
    "fail",
    "functions_of",
    "has_single_blocks",
    "mesh_ops",
    "meshes_of",
    "ops_named",
    "read_module",
    "remark",
    "run_pipeline",
    "sharding_rule",
    "symbol_name",
    "warn",
]
