"""`sdykit compile` says how the devices of a program exchange rows and gradients."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sdykit.cli.main import main

SPEC = {"version": 1, "kind": "lookup", "dim": 8, "samples_per_core": 16, "layout": "ids"}
LINES = {
    "collectives": "// transport collectives: each of 4 devices runs the program, on what XLA's "
    "collectives gathered",
    "memory": "// transport memory: it runs once for 4 devices of a process, and reads and writes the "
    "arrays of each",
}


@pytest.mark.parametrize("transport", LINES)
@pytest.mark.parametrize("emit", ["tile", "spmem"])
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"layout": "sdykit", "minibatches": True},
        {"layout": "jax_tpu_embedding", "kind": "update"},
    ],
    ids=["ids", "minibatches", "update of buffers"],
)
def test_the_transport_is_in_the_output(
    transport: str,
    emit: str,
    fields: dict[str, object],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    spec, tile = tmp_path / "spec.json", tmp_path / "tile.mlir"
    given = {**SPEC, **fields, "num_devices": 4, "transport": transport}
    spec.write_text(json.dumps(given))
    assert main(["compile", str(spec), f"--emit={emit}", "-o", str(tile)]) == 0
    assert LINES[transport] in tile.read_text().splitlines()[:2]
    # The output is still a program.
    assert main(["compile", "--from-tile", str(tile), "--emit=llvm"]) == 0
    assert "define" in capfd.readouterr().out


def test_one_device_has_no_transport(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps(SPEC))
    assert main(["compile", str(spec)]) == 0
    assert "transport" not in capfd.readouterr().out
