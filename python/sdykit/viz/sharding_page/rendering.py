"""Make the page: the propagation as JSON, and the scripts that draw it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sdykit import __version__
from sdykit.viz.page import Page, page_template


def sharding_page(title: str, data: Mapping[str, Any]) -> Page:
    """Return the page of a propagation.

    Args:
        title: the heading of the page.
        data: what `templates/model.js` reads, ready for JSON; it lists the fields.
    """
    template = page_template("sdykit.viz.sharding_page")
    return Page(template.render(title=title, data=data, version=__version__))
