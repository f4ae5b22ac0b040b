"""The pages made of docstrings: what is in them, and that what pages use is listed."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
sys.path.append(str(ROOT / "tools"))

from sdykit.core import Registry  # noqa: E402

generate_reference = importlib.import_module("generate_reference")
api_page, unlisted = generate_reference.api_page, generate_reference.unlisted
passes_page, kernel_ops_page = generate_reference.passes_page, generate_reference.kernel_ops_page


def test_every_pass_has_its_contract_and_options() -> None:
    page = passes_page()
    assert [line[4:] for line in page.splitlines() if line.startswith("## -")] != []
    assert all(f"\n## -{name}\n" in page for name in Registry().names())
    assert "Move each inferred fragment to just before its first user." in page
    assert "| `group-across-meshes=<true\\|false>` | `false` | " in page
    assert ":::" not in page


def test_the_api_has_signatures_docstrings_and_fields() -> None:
    page = api_page(ROOT)
    assert "\n### sdykit.mpmd\n" in page
    assert "\n#### from_jax\n" in page
    assert "    schedule: Schedule = 'none',\n" in page
    assert "- `topology`: the axes of each mesh with their sizes: " in page
    assert "- `PartitionError`: a mesh, function, argument or schedule is unknown" in page
    assert "\n#### Stage\n" in page
    assert "- `name: str`: The pass with its options, as in a pipeline.\n- `before: str`: " in page
    assert ":::" not in page


_OF_THE_LOWERING = """
    all_reduce assume_multiple barrier bitcast concatenate core_id delay device_id dynamic_gather
    enqueue_dma enqueue_indirect_dma fetch_and_add_sync iota log log_buffer memref_bitcast
    memref_reshape memref_slice memref_squeeze pack_subelements region scan scan_count sem_alloc
    sem_barrier sem_read sem_signal sem_wait sort subcore_id trace_start trace_stop trace_value
    unpack_subelements vector_load vector_load_idx vector_store vector_store_idx wait_dma2
    wait_indirect_dma
"""
"""What JAX's lowering makes of the primitives of a SparseCore."""


def test_every_op_of_a_kernel_has_its_row() -> None:
    _, tables = kernel_ops_page().split("\n## Regions\n")
    lines = tables.splitlines()
    assert "| `arith.addi` | `a + b`; overflow wraps. |" in lines
    assert any(
        line.startswith("| `tpu.sort` | Keys and values in the order of the keys") for line in lines
    )
    rows = [line for line in lines if line.startswith("| `")]
    assert all(line.count("|") - line.count("\\|") == 3 for line in rows)
    ops = {
        op
        for line in rows
        for op in re.findall(r"`([a-z_0-9]+\.[a-z_0-9]+)`", line.split(" | ")[0])
    }
    assert ops >= {f"tpu.{name}" for name in _OF_THE_LOWERING.split()}


def test_modules_that_pages_import_are_listed(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("from sdykit.core import run_pipeline\n")
    (tmp_path / "docs" / "page.md").write_text(
        "    from sdykit.bridge import ffi\nfrom sdykit.core._hidden import x\nimport sdykit.opt\n"
    )
    assert unlisted(tmp_path) == ["docs/page.md: sdykit.core._hidden", "docs/page.md: sdykit.opt"]
    assert unlisted(ROOT) == []


def test_a_stale_page_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs" / "reference").mkdir(parents=True)
    (tmp_path / "README.md").write_text("")
    monkeypatch.setattr(generate_reference, "api_page", lambda _: "api\n")
    monkeypatch.setattr(generate_reference, "passes_page", lambda: "passes\n")
    arguments = ["--root", str(tmp_path)]
    assert generate_reference.main(["--check", *arguments]) == 1
    assert "docs/reference/passes.md differs (diff above)" in capsys.readouterr().err
    assert generate_reference.main(arguments) == 0
    assert generate_reference.main(["--check", *arguments]) == 0
    assert (tmp_path / "docs" / "reference" / "api.md").read_text() == "api\n"
