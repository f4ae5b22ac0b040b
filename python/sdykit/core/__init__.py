"""What passes are made of, and what runs them.

Read `pass_base` first, then `diagnostics` (`fail`, `warn`), `walks` and `symbols`. The text of a
pipeline is parsed by `pipeline_text`, its names are resolved by `registry`, its options by
`options`; `plan` makes steps of it, and `run` runs them. `upstream` says which C++ passes a
pipeline may name; `ir_printing` and `timing` observe a run; `parsing` and `portable` read modules;
`frontend` warns of shardings that are still text; `mpmd` has questions about MPMD programs, and
`sdy` the rules by which ops are sharded.

Names are looked up when they are used: programs of kernels need little of this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sdykit.core.diagnostics import (
        Diagnostic,
        FileLocation,
        Severity,
        capture,
        fail,
        remark,
        warn,
    )
    from sdykit.core.pass_base import FunctionPass, ModulePass, Pass, Pipeline
    from sdykit.core.portable import PortableArtifactError, read_module
    from sdykit.core.registry import Registry
    from sdykit.core.run import Instrumentation, RunOptions, run_pipeline
    from sdykit.core.sdy.rules import RuleBuilder
    from sdykit.core.sdy.user_rules import sharding_rule
    from sdykit.core.symbols import (
        FUNC,
        functions_of,
        mesh_ops,
        meshes_of,
        symbol_name,
        symbols_around,
        symbols_of,
    )
    from sdykit.core.walks import has_single_blocks, ops_named

# No name here is that of a module: the import of the module would hide it.
_MODULES = {
    "Diagnostic": "sdykit.core.diagnostics",
    "FUNC": "sdykit.core.symbols",
    "FileLocation": "sdykit.core.diagnostics",
    "FunctionPass": "sdykit.core.pass_base",
    "Instrumentation": "sdykit.core.run",
    "ModulePass": "sdykit.core.pass_base",
    "Pass": "sdykit.core.pass_base",
    "Pipeline": "sdykit.core.pass_base",
    "PortableArtifactError": "sdykit.core.portable",
    "Registry": "sdykit.core.registry",
    "RuleBuilder": "sdykit.core.sdy.rules",
    "RunOptions": "sdykit.core.run",
    "Severity": "sdykit.core.diagnostics",
    "capture": "sdykit.core.diagnostics",
    "fail": "sdykit.core.diagnostics",
    "functions_of": "sdykit.core.symbols",
    "has_single_blocks": "sdykit.core.walks",
    "mesh_ops": "sdykit.core.symbols",
    "meshes_of": "sdykit.core.symbols",
    "ops_named": "sdykit.core.walks",
    "read_module": "sdykit.core.portable",
    "remark": "sdykit.core.diagnostics",
    "run_pipeline": "sdykit.core.run",
    "sharding_rule": "sdykit.core.sdy.user_rules",
    "symbol_name": "sdykit.core.symbols",
    "symbols_around": "sdykit.core.symbols",
    "symbols_of": "sdykit.core.symbols",
    "warn": "sdykit.core.diagnostics",
}

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
    "symbols_around",
    "symbols_of",
    "warn",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
