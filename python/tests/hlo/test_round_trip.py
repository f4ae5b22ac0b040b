"""XLA's texts of real programs are printed character for character as they were read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sdykit import hlo
from support import SUPPORT
from support.hlo.xla_process import reprinted

KINDS = {
    "*.before_optimizations.txt": 40,
    "*.cpu_after_optimizations.txt": 40,
    "*.lowered.txt": 38,
    "*.short.txt": 38,
    "*.shapes.txt": 38,
    "*.plain.txt": 38,
}
"""The minimum number of files of each kind."""


@pytest.fixture(scope="module")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the dumps of all JAX programs."""
    directory = tmp_path_factory.mktemp("dumps")
    environment = {key: os.environ[key] for key in os.environ if not key.startswith("JAX_")}
    subprocess.run(
        [sys.executable, str(SUPPORT / "hlo/jax_programs.py"), str(directory)],
        env=environment,
        check=True,
        capture_output=True,
    )
    return directory


@pytest.mark.parametrize("kind", KINDS)
def test_texts_of_xla_are_printed_as_read(kind: str, dumps: Path):
    files = sorted(dumps.glob(kind))
    assert len(files) >= KINDS[kind]
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert hlo.to_text(hlo.read(text, str(file))) == text, file


@pytest.mark.parametrize("kind", KINDS)
def test_xla_reads_our_text_as_its_own(kind: str, dumps: Path):
    texts = [file.read_text(encoding="utf-8") for file in sorted(dumps.glob(kind))]
    ours = [hlo.to_text(hlo.read(text)) for text in texts]
    expected = reprinted(texts)
    assert not [text for text in expected if text.startswith("refused")]
    assert reprinted(ours) == expected
