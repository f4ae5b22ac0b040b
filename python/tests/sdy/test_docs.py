"""The page about propagation: its commands print what it shows, and it has all options and all errors."""

from __future__ import annotations

import re
from pathlib import Path

from sdykit.core.options import option_specs
from sdykit.passes.sdy.pipeline import ExportPipeline, ImportPipeline, PropagationPipeline
from support import ROOT
from support.pages import check_commands

PAGE = (ROOT / "docs" / "propagation.md").read_text()


def test_the_commands_of_the_page_print_what_it_shows(tmp_path: Path) -> None:
    assert check_commands(PAGE, tmp_path) == 10


def test_the_page_has_the_options_of_the_pipelines() -> None:
    of_import = {each.name for each in option_specs(ImportPipeline)}
    rows = dict(re.findall(r"^\| `--(sdy-\w+-pipeline)` \| (.*) \|$", PAGE, re.MULTILINE))
    for pipeline in (ImportPipeline, PropagationPipeline, ExportPipeline):
        row = rows[pipeline.name]
        listed = set(re.findall(r"`([\w-]+)`", row)) | (of_import if "the same" in row else set())
        assert listed == {each.name for each in option_specs(pipeline)}


def test_the_page_has_what_propagation_fails_with() -> None:
    table = PAGE.partition("## Errors and warnings")[2]
    for words in (
        "only supports ranked tensors with a static shape",
        "doesn't support tuples",
        "needs a function @main or a single function",
        "which the module does not have at its top",
        "is unknown to SDY sharding rule registry",
        "do not match",
    ):
        assert words in table
