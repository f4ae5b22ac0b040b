"""Makes `examples` importable, whatever directory pytest is started from, and starts a browser."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[3]))

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Chromium; without one, tests are skipped, or fail if `REQUIRE_CHROMIUM` is set."""
    if CHROMIUM is None:
        if os.environ.get("REQUIRE_CHROMIUM"):
            pytest.fail("REQUIRE_CHROMIUM is set, but no Chromium is in PATH")
        pytest.skip("no Chromium in PATH")
    # Chromium has no sandbox for root.
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield found
        found.close()
