"""Generate `docs/flags.md` from the settings of `SparsecoreConfig` and the tests that show them.

    python tools/generate_flags_doc.py            write the file
    python tools/generate_flags_doc.py --check    fail if it differs from what would be written

A setting is shown by two tests, which may be one: with it, something happens that does not
happen without. One whose effect is still to come is listed with the part that it waits for.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import sys
from dataclasses import dataclass
from pathlib import Path

from sdykit.sparsecore.config import FLAGS, SETTINGS
from sdykit.sparsecore.explain import explained

ROOT = Path(__file__).resolve().parent.parent
TESTS = Path("python/tests")
PAGE = Path("docs/flags.md")


@dataclass(frozen=True)
class Shown:
    """The tests that show what a setting does, as pytest names them below `python/tests`."""

    on: str
    off: str


_JAX = "bridge/embedding"
_PIPELINING = "bridge/pipelining/test_schedule.py"
"""Tests of lookups and updates in JAX."""


def _in_one(test: str, file: str = "test_config_effects.py") -> Shown:
    node = f"sparsecore/{file}::{test}"
    return Shown(node, node)


SHOWN: dict[str, Shown] = {
    "disable_table_stacking": _in_one("test_disable_table_stacking"),
    "max_ids_per_chip_per_sample": _in_one("test_max_ids_per_chip_per_sample"),
    "max_ids_per_table": _in_one("test_max_ids_per_table"),
    "max_unique_ids_per_table": _in_one("test_max_unique_ids_per_table"),
    "allow_id_dropping": _in_one("test_allow_id_dropping"),
    "xla_sparse_core_enable_id_bound_check": _in_one("test_xla_sparse_core_enable_id_bound_check"),
    "xla_sparse_core_max_ids_file": _in_one(
        "test_xla_sparse_core_max_ids_file", "test_limits_flags.py"
    ),
    "xla_sparse_core_estimate_max_ids": _in_one(
        "test_xla_sparse_core_estimate_max_ids", "test_limits_flags.py"
    ),
    "xla_sc_detect_nan": Shown(
        f"{_JAX}/test_settings.py::test_xla_sc_detect_nan_stops_at_a_nan",
        f"{_JAX}/test_settings.py::test_without_xla_sc_detect_nan_a_nan_goes_through",
    ),
    "xla_sc_assert_level": Shown(
        f"{_JAX}/test_settings.py::test_xla_sc_assert_level_stops_at_a_wild_row",
        f"{_JAX}/test_settings.py::test_without_xla_sc_assert_level_a_program_has_no_checks",
    ),
    "xla_tpu_buffer_contents_sanitizer_config": Shown(
        f"{_JAX}/test_sanitizer.py::test_xla_tpu_buffer_contents_sanitizer_config_adds_checks",
        f"{_JAX}/test_sanitizer.py::test_without_xla_tpu_buffer_contents_sanitizer_config_there_are_none",
    ),
    "xla_tpu_verify_launch_id_across_cores": Shown(
        f"{_JAX}/test_launches.py::test_xla_tpu_verify_launch_id_across_cores_finds_another_launch",
        f"{_JAX}/test_launches.py::test_without_xla_tpu_verify_launch_id_across_cores_nothing_is_exchanged",
    ),
    "initialize_tables_on_host": Shown(
        f"{_JAX}/test_layer.py::test_initialize_tables_on_host_copies_from_the_host",
        f"{_JAX}/test_layer.py::test_without_initialize_tables_on_host_no_table_is_on_the_host",
    ),
    "enable_fast_table_initialization": Shown(
        f"{_JAX}/test_layer.py::test_enable_fast_table_initialization_wins_over_the_host",
        f"{_JAX}/test_layer.py::test_without_initialize_tables_on_host_no_table_is_on_the_host",
    ),
    "xla_sc_num_serialized_tables_to_optimize_hbm": _in_one(
        "test_xla_sc_num_serialized_tables_to_optimize_hbm", "test_moments.py"
    ),
    "tf_xla_disable_full_embedding_pipelining": Shown(
        f"{_PIPELINING}::test_tf_xla_disable_full_embedding_pipelining",
        f"{_PIPELINING}::test_without_tf_xla_disable_full_embedding_pipelining",
    ),
    "maximum_parallel_iterations": Shown(
        f"{_JAX}/test_prefetch.py::test_maximum_parallel_iterations",
        f"{_JAX}/test_prefetch.py::test_maximum_parallel_iterations",
    ),
    "vmodule": Shown(
        f"{_JAX}/test_heap_log.py::test_vmodule_logs_the_heap",
        f"{_JAX}/test_heap_log.py::test_vmodule_logs_the_heap",
    ),
}
"""By setting."""

_INTRODUCTION = """\
<!-- Written by tools/generate_flags_doc.py; change that, or sdykit/sparsecore/config. -->

# SparseCore settings and flags

`SparsecoreConfig` has all settings. Those that libtpu knows as flags have its names, and can
also be given in the environment and on the command line:

```python
from sdykit.sparsecore import SparsecoreConfig, resolve

config = resolve(SparsecoreConfig(allow_id_dropping=True, xla_sc_detect_nan=True))
```

```console
$ LIBTPU_INIT_ARGS="--xla_sc_detect_nan=true" python train.py
```

`resolve` applies the flags of the environment to a configuration, and then those of its
`arguments=[...]`. Nothing else reads the environment: without `resolve` a configuration is as the
program made it.

## Which value counts

A later place overrides an earlier one:

1. the default,
2. the configuration,
3. the variable `XLA_FLAGS`,
4. the variable `LIBTPU_INIT_ARGS`,
5. the variable `SDYKIT_FLAGS`,
6. the command line.

If a flag is set twice in one place, the later one counts.

XLA and libtpu have other flags, which are ignored in their variables; one that looks like a
misspelled flag of this page is warned of, and so is any other of libtpu's flags for SparseCores
(`xla_sc_...`, `xla_sparse_core_...`), which has no effect. On other devices than TPUs, XLA aborts
at flags that it does not know: [the plugin](plugin.md) removes those of this page from `XLA_FLAGS`
before XLA reads it, so that they can be set there too. Without the plugin, use `SDYKIT_FLAGS` or
`LIBTPU_INIT_ARGS`. In `SDYKIT_FLAGS`, in the configuration and on the command line an unknown name
is an error, which suggests the nearest known name:

```text
SDYKIT_FLAGS: unknown flag --xla_sc_detect_nann; did you mean 'xla_sc_detect_nan'?
command line: --xla_sc_detect_nan is 'maybe'; expected true or false
```

## How a flag is written

`--<flag>=<value>`, with one dash or two. Blanks separate the flags of a variable; a value with
blanks needs quotation marks, as in a shell. For true and false there are also `--<flag>` and
`--no<flag>`, and the words `1`, `t`, `yes`, `y`, `0`, `f`, `no`, `n`.

`split_arguments(sys.argv[1:])` separates the flags of this page from other words of a command line.

`sdykit explain NAME` prints what is below about a setting, and the [errors](errors.md) that it has to
do with.
"""


class TableError(Exception):
    """The tables of this file do not fit the settings, or the tests."""


def check_table(shown: dict[str, Shown]) -> None:
    """Check that a table has every setting, and nothing else.

    Raises:
        TableError: it is not so; one line for each setting.
    """
    found = [f"{name} is no setting" for name in shown if name not in SETTINGS]
    found += [
        f"{name} has no test: expected an entry in SHOWN" for name in SETTINGS if name not in shown
    ]
    if found:
        raise TableError("\n".join(found))


def check_tests(root: Path, shown: dict[str, Shown]) -> None:
    """See that the tests are there, and that each speaks of its setting.

    Raises:
        TableError: it is not so; one line for each test.
    """
    found = []
    for name, tests in shown.items():
        for test in dict.fromkeys((tests.on, tests.off)):
            source = source_of(root / TESTS, test)
            if source is None:
                found.append(f"{name}: there is no test {TESTS / test}")
            elif name not in source:
                found.append(f"{name}: the test {TESTS / test} does not mention it")
    if found:
        raise TableError("\n".join(found))


def source_of(tests: Path, node: str) -> str | None:
    """Return the source of the test `file.py::test` or `file.py::Class::test`; None if there is none."""
    file, *names = node.split("::")
    path = tests / file
    if not path.is_file() or not names or not names[-1].startswith("test"):
        return None
    text = path.read_text(encoding="utf-8")
    scope: ast.AST | None = ast.parse(text)
    for name in names:
        scope = next(
            (
                each
                for each in ast.iter_child_nodes(scope)
                if isinstance(each, (ast.ClassDef, ast.FunctionDef)) and each.name == name
            ),
            None,
        )
        if scope is None:
            return None
    assert isinstance(scope, (ast.ClassDef, ast.FunctionDef))
    first = min([scope.lineno, *(each.lineno for each in scope.decorator_list)])
    return "\n".join(text.splitlines()[first - 1 : scope.end_lineno])


def page(shown: dict[str, Shown]) -> str:
    """Return the text of the page."""
    own = [name for name in SETTINGS if name not in FLAGS]
    return "\n".join(
        [
            _INTRODUCTION,
            "## Fields\n\nIn the configuration only. Tests are below `python/tests`.\n",
            *table(own, shown),
            "\n## Flags\n\nIn the configuration, the environment and the command line. Checks cost"
            " speed, and all but\nthat of ids on the host are off by default.\n",
            *table(list(FLAGS), shown),
            "",
        ]
    )


def table(names: list[str], shown: dict[str, Shown]) -> list[str]:
    """Return the lines of a table with a row for each setting."""
    rows = ["| Name | Default | Values | Effect | Shown by |", "|---|---|---|---|---|"]
    for name in names:
        setting = explained(name)
        cells = (
            f"`{name}`",
            f"`{setting.default}`",
            setting.values,
            setting.effect,
            evidence(shown[name]),
        )
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return rows


def evidence(tests: Shown) -> str:
    """Return which tests show a setting."""
    if tests.on == tests.off:
        return f"on and off: `{tests.on}`"
    return f"on: `{tests.on}`; off: `{tests.off}`"


def main(arguments: list[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout")
    options = parser.parse_args(arguments)
    try:
        check_table(SHOWN)
        check_tests(options.root, SHOWN)
    except TableError as error:
        for line in str(error).splitlines():
            print(f"generate_flags_doc: {line}", file=sys.stderr)
        return 1
    content, target = page(SHOWN), options.root / PAGE
    committed = target.read_text(encoding="utf-8") if target.is_file() else ""
    if committed == content:
        return 0
    if not options.check:
        target.write_text(content, encoding="utf-8")
        print(f"wrote {PAGE}")
        return 0
    before, after = committed.splitlines(), content.splitlines()
    diff = difflib.unified_diff(before, after, f"{PAGE}", f"{PAGE} (generated)", n=1, lineterm="")
    print(*diff, sep="\n", file=sys.stderr)
    print(
        f"generate_flags_doc: {PAGE} differs (diff above); run tools/generate_flags_doc.py and"
        " commit the result",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
