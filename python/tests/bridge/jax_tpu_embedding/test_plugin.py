"""The plugin itself: when it acts, what it imports, and its warnings when something fails."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest

from sdykit.bridge import plugin
from support.jax_tpu_embedding.plugin_programs import run_with_plugin, start_with_plugin

# What JAX imports for its first backend is there before: the rest is the plugin's.
LOADS = """
import os, sys, time
import jax, sdykit
from importlib.metadata import entry_points
from jax._src import xla_bridge
entry_points(group="jax_plugins")
before, finders = set(sys.modules), list(sys.meta_path)
xla_bridge.discover_pjrt_plugins()
print(*sorted(set(sys.modules) - before))
print(len(sys.meta_path) - len(finders), os.environ["NPROC"], os.environ["XLA_FLAGS"])
jax.devices()
"""
DEVICES = "--xla_force_host_platform_device_count=8"


def test_the_plugin_imports_little_without_the_library(tmp_path: Path) -> None:
    loaded, rest = run_with_plugin(tmp_path, LOADS, XLA_FLAGS=DEVICES).splitlines()
    assert loaded.split() == [
        "sdykit.bridge.host_devices",
        "sdykit.bridge.jax_tpu_embedding",
        "sdykit.bridge.jax_tpu_embedding.registry",
        "sdykit.bridge.plugin",
        "sdykit.bridge.plugin.import_hook",
        "sdykit.bridge.plugin.xla_flags",
    ]
    assert rest == f"1 16 {DEVICES}"


def test_a_variable_turns_the_plugin_off(tmp_path: Path) -> None:
    found = run_with_plugin(tmp_path, LOADS, XLA_FLAGS=DEVICES, SDYKIT_PLUGIN="off")
    assert found == f"sdykit.bridge.plugin\n0  {DEVICES}\n"


WRONG = """
import jax
print(jax.jit(lambda x: x + 1)(1))
from jax_tpu_embedding.sparsecore.utils import utils
print(utils.num_sparsecores_per_device())
"""


def test_an_unknown_chip_is_an_error(tmp_path: Path) -> None:
    done = start_with_plugin(tmp_path, WRONG, SDYKIT_CHIP="v9", SDYKIT_PLUGIN="no")
    assert (done.returncode, done.stdout) == (1, "2\n"), done.stderr
    assert "UserWarning: sdykit: SDYKIT_PLUGIN is 'no'; expected on or off\n" in done.stderr
    assert done.stderr.splitlines()[-1] == (
        "sdykit.sparsecore.errors.SparseCoreError: there is no chip 'v9', and it is not a file "
        "that ends in .json or .toml; expected one of v4, v5p, v6e, 7x"
    )


def test_a_failure_of_the_plugin_is_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    done = []

    def fails() -> None:
        raise KeyError("threads")

    monkeypatch.delenv(plugin.ENVIRONMENT, raising=False)
    monkeypatch.setattr(plugin, "_move_flags", fails)
    monkeypatch.setattr(plugin, "_ensure_threads", fails)
    monkeypatch.setattr(plugin, "_watch_imports", lambda: done.append("watched"))
    text = "sdykit: KeyError: 'threads'; KeyError: 'threads'"
    with pytest.warns(UserWarning, match=f"^{text}$"):
        plugin.initialize()
    # Where warnings are errors, all steps have been taken before.
    warnings.simplefilter("error")
    with pytest.raises(UserWarning, match=f"^{text}$"):
        plugin.initialize()
    assert done == ["watched"] * 2


@pytest.fixture
def _nothing_warned() -> Iterator[None]:
    for forget in (plugin._check_version.cache_clear, plugin._warned.clear):
        forget()
    yield
    for forget in (plugin._check_version.cache_clear, plugin._warned.clear):
        forget()


@pytest.mark.usefixtures("_nothing_warned")
def test_a_library_module_that_has_changed_is_a_warning() -> None:
    prepare = plugin._preparing("math:sqrt")
    text = "sdykit: jax-tpu-embedding will not run on CPU devices: TypeError: must be real number"
    with pytest.warns(UserWarning, match=f"^{text}, not module$"):
        prepare(ModuleType("one"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        prepare(ModuleType("another"))


@pytest.mark.usefixtures("_nothing_warned")
@pytest.mark.parametrize(
    "version", ["0.0.9", "0.1.0", "0.1.7.dev20250101", "0.2", "0.2.0", "0.2.1", "0.10.0", "1.0rc1"]
)
def test_untested_versions_of_the_library_are_a_warning(
    monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    tested = version.startswith(("0.1.", "0.2")) and version != "0.2.1"
    monkeypatch.setattr(metadata, "version", lambda _: version)
    prepare = plugin._preparing("builtins:id")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        prepare(ModuleType("one"))
        prepare(ModuleType("another"))
    assert [str(each.message) for each in found] == (
        []
        if tested
        else [
            f"sdykit: jax-tpu-embedding is {version}; its programs were tested on CPU devices "
            "from 0.1.0 to 0.2.0"
        ]
    )


@pytest.mark.usefixtures("_nothing_warned")
@pytest.mark.parametrize("version", ["0.3.0", None])
def test_the_import_of_an_untested_version_succeeds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], version: str | None
) -> None:
    monkeypatch.setattr(metadata, "version", lambda _: version)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plugin._preparing("builtins:id")(ModuleType("one"))
    text = (
        "sdykit: jax-tpu-embedding is 0.3.0; its programs were tested on CPU devices from 0.1.0 "
        "to 0.2.0\n"
    )
    assert capsys.readouterr().err == (text if version else "")


@pytest.mark.usefixtures("_nothing_warned")
def test_a_library_without_metadata_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacks(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", lacks)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plugin._preparing("builtins:id")(ModuleType("one"))
