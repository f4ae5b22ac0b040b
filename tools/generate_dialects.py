"""Generate `sdykit.dialects` and the dialect reference from `dialects/*/*.td`.

    python tools/generate_dialects.py            write the files
    python tools/generate_dialects.py --check    fail if a file is not as it would be written

A dialect is a directory of `dialects/` with a file `ops.td` that includes the others. To
add one, add the directory; custom formats go to `python/sdykit/dialects/<dialect>/formats.py`.
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from pathlib import Path

from dialect_gen.assembly_format import FormatError
from dialect_gen.attributes import field_table, view_classes, write_views
from dialect_gen.llvm import ToolError, Tools
from dialect_gen.reference import write_reference

ROOT = Path(__file__).resolve().parent.parent
_PACKAGE = Path("python/sdykit/dialects")


def generate(tools: Tools, source: Path, package: Path) -> dict[Path, str]:
    """Return the files generated from a dialect: path below the root -> content."""
    dialect = source.parent.name
    records = tools.records(source)
    bind = f"-bind-dialect={dialect}"
    modules = {
        "ops_gen": tools.generate(source, "-gen-python-op-bindings", bind),
        "enums_gen": tools.generate(source, "-gen-python-enum-bindings", bind),
    }
    # The only change to what mlir-tblgen writes: it expects jaxlib's modules around it.
    for name, text in modules.items():
        modules[name] = re.sub(
            r"^from (\.\.ir|\._ods_common) import",
            "from sdykit.dialects.ods_common import",
            text,
            flags=re.MULTILINE,
        )
    modules |= write_views(dialect, records, package)
    fields = field_table(view_classes(dialect, records, package))
    files = {_PACKAGE / dialect / f"{name}.py": text for name, text in modules.items()}
    reference = write_reference(tools, source, records, fields)
    return files | {Path("docs/reference") / f"{dialect}_dialect.md": reference}


def differences(root: Path, files: dict[Path, str]) -> list[str]:
    """Return a diff for each file that is not as generated."""
    found = []
    for path, content in files.items():
        target = root / path
        committed = target.read_text(encoding="utf-8") if target.is_file() else ""
        if committed == content:
            continue
        diff = difflib.unified_diff(
            committed.splitlines(), content.splitlines(), f"{path}", f"{path} (generated)", n=1
        )
        found.append("\n".join(diff))
    return found


def write(root: Path, files: dict[Path, str]) -> None:
    """Write the files that differ."""
    for path, content in files.items():
        target = root / path
        if target.is_file() and target.read_text(encoding="utf-8") == content:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
        print(f"wrote {path}")


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument(
        "--if-llvm", action="store_true", help="succeed, and do nothing, without LLVM's tools"
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    options = parse_arguments(arguments)
    try:
        tools = Tools.find()
    except ToolError as error:
        print(f"generate_dialects: {error}", file=sys.stderr)
        return 0 if options.if_llvm else 1
    files: dict[Path, str] = {}
    try:
        for source in sorted(options.root.glob("dialects/*/ops.td")):
            files |= generate(tools, source, options.root / _PACKAGE)
    except (ToolError, FormatError) as error:
        print(f"generate_dialects: {error}", file=sys.stderr)
        return 1
    if not options.check:
        write(options.root, files)
        return 0
    stale = differences(options.root, files)
    if stale:
        print(*stale, sep="\n", file=sys.stderr)
        print(
            f"generate_dialects: {len(stale)} generated file(s) differ from dialects/*.td (diff "
            "above); run `make generate` and commit the result",
            file=sys.stderr,
        )
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
