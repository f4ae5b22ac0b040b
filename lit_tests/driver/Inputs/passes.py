"""Passes that the tests of the driver load: they do what the driver must cope with."""

from dataclasses import dataclass
from typing import Literal

from sdykit.core import FunctionPass, ModulePass, Pipeline, fail, ops_named, remark, warn
from sdykit.mlir import FuncOp, ModuleOp


@dataclass(frozen=True)
class TestDiagnosePass(ModulePass):
    """Emit a diagnostic about every call.

    The callee's name is the message.
    """

    name = "test-diagnose"

    severity: Literal["remark", "warning", "error"] = "remark"
    """What is emitted."""

    prefix: str = ""
    """Put before the message."""

    def run(self, module: ModuleOp) -> None:
        emit = {"remark": remark, "warning": warn, "error": fail}[self.severity]
        for op in ops_named(module, "func.call"):
            emit(op, f"{self.prefix}calls {op.attributes['callee']}")


class TestMarkPass(FunctionPass):
    """Mark functions that have arguments."""

    name = "test-mark"

    def run(self, func: FuncOp) -> None:
        if not func.is_external and func.arguments:
            func.operation.attributes["test.marked"] = func.operation.attributes["sym_name"]


class TestBreakPass(ModulePass):
    """Erase the terminators of functions, which leaves invalid IR."""

    name = "test-break"

    def run(self, module: ModuleOp) -> None:
        for op in ops_named(module, "func.return"):
            op.erase()


class TestRaisePass(ModulePass):
    """Raise an exception."""

    name = "test-raise"

    def run(self, module: ModuleOp) -> None:
        raise ZeroDivisionError("no shards to divide by")


class TestPipeline(Pipeline):
    """Mark functions, then run CSE in each."""

    name = "test-pipeline"

    def passes(self) -> list[str]:
        return ["test-mark", "func.func(cse)"]
