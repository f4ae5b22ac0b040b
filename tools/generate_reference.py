"""Generate `docs/errors.md`, and the pages of passes, kernels' ops and the API in `docs/reference`.

    python tools/generate_reference.py            write the files
    python tools/generate_reference.py --check    fail if they differ from what would be written

They are made from docstrings, and the page on errors from the texts of `sdykit explain`. The pages
are committed, so that they can be read where the repository is shown.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

from reference.api import api_page, unlisted
from reference.errors import errors_page
from reference.kernel_ops import kernel_ops_page
from reference.passes import passes_page

ROOT = Path(__file__).resolve().parent.parent
PASSES, API = Path("docs/reference/passes.md"), Path("docs/reference/api.md")
ERRORS, OPS = Path("docs/errors.md"), Path("docs/reference/kernel_ops.md")


def main(arguments: list[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout")
    options = parser.parse_args(arguments)
    missing = unlisted(options.root)
    for each in missing:
        print(
            f"generate_reference: {each} is used there, and not listed in"
            " tools/reference/api.py: list it, or use a public module",
            file=sys.stderr,
        )
    pages = {
        PASSES: passes_page(),
        API: api_page(options.root),
        ERRORS: errors_page(),
        OPS: kernel_ops_page(),
    }
    stale = [path for path, text in pages.items() if _committed(options.root / path) != text]
    for path in stale:
        if options.check:
            _print_difference(options.root, path, pages[path])
        else:
            (options.root / path).write_text(pages[path], encoding="utf-8")
            print(f"wrote {path}")
    return 1 if missing or (options.check and stale) else 0


def _committed(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _print_difference(root: Path, path: Path, text: str) -> None:
    before, after = _committed(root / path).splitlines(), text.splitlines()
    lines = difflib.unified_diff(before, after, str(path), f"{path} (generated)", n=1, lineterm="")
    print(*lines, sep="\n", file=sys.stderr)
    print(
        f"generate_reference: {path} differs (diff above); run tools/generate_reference.py and"
        " commit the result",
        file=sys.stderr,
    )


if __name__ == "__main__":
    sys.exit(main())
