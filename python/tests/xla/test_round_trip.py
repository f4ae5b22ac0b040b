"""The passes of the round trip through frontend attributes, against those of XLA."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from jax._src.lib import _jax  # pyright: ignore[reportPrivateImportUsage]

from sdykit.core import read_module, run_pipeline
from sdykit.mlir import ir, make_context, passmanager, stablehlo
from support import xla_dumps
from support.kept_artifacts import artifacts

INPUTS = sorted((Path(__file__).parents[1] / "inputs").glob("*.mlir"))
LIT_TESTS = Path(__file__).parents[3] / "lit_tests" / "xla"
EXPORT, IMPORT = "xla-sdy-round-trip-export-pipeline", "xla-sdy-round-trip-import-pipeline"
IMPORT_ATTRIBUTES = "xla-sdy-round-trip-import-shardy-attrs"
UNTIL_SAVED = (
    "symbol-dce,sdy-lift-inlined-meshes,sdy-remove-size-one-axes,"
    "sdy-propagate-sharding-from-func-to-call,sdy-constant-or-scalar-splitter,symbol-dce,"
    "sdy-manual-axes-cleanup"
)
"""The part of the import pipeline that runs before XLA dumps the module."""

Dump = Callable[[str, str], str]


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Dump:
    """Return a function from a program and the name of a dump to its text."""
    directory = tmp_path_factory.mktemp("dumps")
    subprocess.run([sys.executable, xla_dumps.__file__, directory], check=True)

    def read(program: str, name: str) -> str:
        (found,) = directory.glob(f"shardy/module_*.jit_{program}/{name}")
        return found.read_text()

    return read


def transformed(text: str, pipeline: str) -> str:
    module = ir.Module.parse(text, make_context())
    run_pipeline(module, pipeline)
    return str(module)


def by_cpp(text: str, pipeline: str) -> str:
    module = ir.Module.parse(text, make_context())
    passmanager.PassManager.parse(f"builtin.module({pipeline})", module.context).run(
        module.operation
    )
    return str(module)


def exported_by_xla(text: str) -> str:
    """Return a module exported by XLA's pipeline, which runs before a portable artifact is made."""
    context = make_context()
    module = ir.Module.parse(text, context)
    newest = stablehlo.get_current_version()
    artifact = _jax.mlir.serialize_portable_artifact(module, newest, False)
    return str(stablehlo.deserialize_portable_artifact(context, artifact))


def without_xla_shardings(text: str) -> str:
    """Return a module without `mhlo.sharding`, which XLA adds for readers that do not know sdy."""
    text = re.sub(r',? ?mhlo\.sharding = "[^"]*"', "", text)
    return re.sub(r" ?\{\}(?= :|,|\))", "", text)


@pytest.mark.parametrize("program", xla_dumps.NAMES)
def test_dumps_are_imported_as_xla_does(dump: Dump, program: str) -> None:
    text = dump(program, "00.input_module.mlir")
    assert "xla.sdy.meshes" in text
    found = transformed(text, f"{IMPORT},{UNTIL_SAVED},canonicalize")
    # XLA canonicalizes before, which does not affect sdy.
    assert found == transformed(dump(program, "01.before_propagation.mlir"), "canonicalize")


@pytest.mark.parametrize("program", xla_dumps.NAMES)
def test_attributes_are_imported_as_in_cpp(dump: Dump, program: str) -> None:
    text = dump(program, "00.input_module.mlir")
    assert transformed(text, IMPORT_ATTRIBUTES) == by_cpp(text, IMPORT_ATTRIBUTES)


def test_attributes_of_all_kinds_are_imported_as_in_cpp() -> None:
    text = (LIT_TESTS / f"{IMPORT_ATTRIBUTES[4:].replace('-', '_')}.mlir").read_text()
    # C++ crashes on declarations, and uses any mesh that has the name.
    text = re.sub(r" *func\.func private @declared.*", "", text.partition("// -----")[0])
    assert transformed(text, IMPORT_ATTRIBUTES) == by_cpp(text, IMPORT_ATTRIBUTES)


def test_old_exports_are_imported() -> None:
    """JAX wrote text in frontend attributes before it wrote sdy."""
    found = [text for text in _texts_of_artifacts() if "xla.sdy.meshes" in text]
    assert len(found) > 1
    for text in found:
        assert transformed(text, IMPORT_ATTRIBUTES) == by_cpp(text, IMPORT_ATTRIBUTES)
        assert "xla.sdy" not in transformed(text, f"{IMPORT},sdy-import-pipeline")


def _texts_of_artifacts() -> list[str]:
    context = make_context()
    return [str(read_module(artifact, context)) for artifact in artifacts()]


@pytest.mark.parametrize("program", xla_dumps.NAMES)
def test_imported_dumps_survive_export_and_import(dump: Dump, program: str) -> None:
    imported = transformed(dump(program, "00.input_module.mlir"), IMPORT)
    lifted = transformed(imported, "sdy-lift-inlined-meshes")
    meshes = re.compile(r" \{stablehlo\.mesh = .*\}$", re.MULTILINE)
    again = transformed(imported, f"{EXPORT},{IMPORT}")
    assert again == meshes.sub("", lifted)
    assert "xla.sdy" not in again


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_models_are_exported_as_xla_does(path: Path) -> None:
    text = path.read_text()
    exported = transformed(text, EXPORT)
    assert "xla.sdy.meshes" in exported
    assert not re.search(r"= sdy\.|^ *sdy\.", exported, re.MULTILINE)
    # In ours, XLA has nothing left to export; it cleans it up as its own.
    found = without_xla_shardings(exported_by_xla(exported))
    assert found == without_xla_shardings(exported_by_xla(text))


def test_an_exported_module_survives_a_round_trip_through_hlo() -> None:
    """HLO keeps frontend attributes: after it, the same module is imported."""
    text = next(path for path in INPUTS if path.stem == "mixture_of_experts").read_text()
    computation = _jax.mlir.mlir_module_to_xla_computation(transformed(text, EXPORT))
    back = transformed(_jax.mlir.xla_computation_to_mlir_module(computation), IMPORT)
    direct = _jax.mlir.mlir_module_to_xla_computation(text)
    assert back == transformed(_jax.mlir.xla_computation_to_mlir_module(direct), IMPORT)
    assert "sdy.sharding_constraint" in back
