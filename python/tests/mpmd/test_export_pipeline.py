"""The option `compat` of the export pipeline: its values, and the former name of one."""

from __future__ import annotations

import pytest

from sdykit.mlir import ir, make_context
from sdykit.passes.mpmd.pipeline import ExportPipeline
from support.mpmd.checks import run
from support.mpmd.programs import random_program


def exported(text: str, compat: str) -> str:
    module = ir.Module.parse(text, make_context())
    run(module, f"mpmd-export-pipeline{{compat={compat}}}")
    return str(module.operation.get_asm(enable_debug_info=True))


def test_the_former_name_of_jaxlib_selects_the_same_passes() -> None:
    former = ExportPipeline(compat="today")  # pyright: ignore[reportArgumentType]
    assert former == ExportPipeline(compat="jaxlib")
    assert former.passes() == ExportPipeline(compat="jaxlib").passes()
    assert former.passes() != ExportPipeline().passes()


def test_the_former_name_of_jaxlib_produces_the_same_text() -> None:
    text = random_program(3)
    assert exported(text, "today") == exported(text, "jaxlib") != exported(text, "documented")


def test_an_unknown_value_in_python_names_the_choices() -> None:
    with pytest.raises(ValueError, match="expects one of documented, jaxlib, found 'tomorrow'"):
        ExportPipeline(compat="tomorrow")  # pyright: ignore[reportArgumentType]
