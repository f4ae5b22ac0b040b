"""What passes are made of: base classes, diagnostics, walks, and the way they are run."""

from sdykit.core.diagnostics import Diagnostic, FileLocation, Severity, capture, fail, remark, warn
from sdykit.core.pass_base import FunctionPass, ModulePass, Pass, Pipeline
from sdykit.core.registry import Registry
from sdykit.core.run import Instrumentation, RunOptions, run_pipeline
from sdykit.core.walks import ops_named

__all__ = [
    "Diagnostic",
    "FileLocation",
    "FunctionPass",
    "Instrumentation",
    "ModulePass",
    "Pass",
    "Pipeline",
    "Registry",
    "RunOptions",
    "Severity",
    "capture",
    "fail",
    "ops_named",
    "remark",
    "run_pipeline",
    "warn",
]
