"""The program that `make report` runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from sdykit.viz.import_report.facts import module_facts

DEMO = Path(__file__).parents[3] / "examples" / "import_report" / "demo.py"


def test_the_demo_writes_its_report(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, DEMO, tmp_path], check=True, capture_output=True, text=True
    )
    assert "sdy-constant-or-scalar-splitter" in run.stdout
    assert "report.html" in run.stdout
    assert run.stderr == ""
    model = module_facts((tmp_path / "model.mlir").read_text())
    imported = module_facts((tmp_path / "imported.mlir").read_text())
    assert model.ops["sdy.manual_computation"] == imported.ops["sdy.manual_computation"] == 8
    assert model.ops["sdy.sharding_group"] > 20
    assert model.ops["sdy.data_flow_edge"] == 0
    assert imported.ops["sdy.data_flow_edge"] > 0
    assert f"{model.total:,}" in run.stdout
    page = (tmp_path / "report.html").read_text()
    assert f'<span id="ops-before">{model.total:,}</span>' in page
    assert f'<span id="ops-after">{imported.total:,}</span>' in page
