"""The page on errors, from the texts that `sdykit explain` prints."""

from __future__ import annotations

import textwrap

from sdykit.sparsecore.explain import ERRORS, ErrorText

_INTRODUCTION = """\
<!-- Written by tools/generate_reference.py; change sdykit/sparsecore/explain/error_texts.py. -->

# Errors of SparseCores

What the errors of SparseCore programs mean, and what to do. At a command line, `sdykit explain`
prints the same for a name or a text, and for each [setting](flags.md):

```console
$ sdykit explain partition-limit
$ sdykit explain 'Gather operand too large: 640x16 floats ...'
$ python train.py 2>&1 | sdykit explain -
```

`...` stands for the rest of a text.

| Error | Text |
|---|---|
"""


def errors_page() -> str:
    """Return the text of the page."""
    rows = [f"| [{each.name}](#{each.name}) | {_cell(each.example)} |\n" for each in ERRORS]
    return _INTRODUCTION + "".join(rows) + "".join(map(_section, ERRORS))


def _cell(text: str) -> str:
    short = textwrap.shorten(text, 90, placeholder=" ...")
    return "`" + short.replace("|", "\\|") + "`"


def _section(error: ErrorText) -> str:
    parts = [
        f"## {error.name}",
        "\n".join(["```text", textwrap.fill(error.example, 100), "```"]),
        textwrap.fill(error.meaning, 100, break_on_hyphens=False),
        textwrap.fill(f"**To do:** {error.remedy}", 100, break_on_hyphens=False),
    ]
    if error.settings:
        settings = ", ".join(f"`{name}`" for name in error.settings)
        parts.append(textwrap.fill(f"Settings: {settings}.", 100, break_on_hyphens=False))
    return "\n" + "\n\n".join(parts) + "\n"
