"""`sc.trace`: profiles of JAX with tracks of the SparseCores."""

from __future__ import annotations

import logging
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.profiling import add_tracks
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.run import read_run
from support.bridge.ffi_programs import run_python
from support.runs import make_run
from support.xspaces import read_planes

LOOP = """
import sdykit.sparsecore as sc
from support.recording.loops import batches, make_layer, make_tables, train
sc.lookup  # JAX starts a thread for each device.
import jax

layer = make_layer(make_tables(), mesh=jax.make_mesh((2,), ("x",)))
train(layer, batches(layer, 2))  # compiled before the profile
with sc.trace({!r}, run={!r}):
    train(layer, batches(layer, 3))
"""


def test_calls_are_on_tracks_of_their_own_with_their_names_and_times(tmp_path: Path) -> None:
    flags = "--xla_force_host_platform_device_count=2"
    run_python(LOOP.format(str(tmp_path / "logs"), str(tmp_path / "run")), XLA_FLAGS=flags)
    (file,) = (tmp_path / "logs").glob("plugins/profile/*/*.xplane.pb")
    planes = read_planes(file.read_bytes())
    assert {"/host:CPU", "Task Environment", "/device:CUSTOM:measured host"} <= planes.keys()
    by_xla = [
        (each.start, each.start + each.duration)
        for line in planes["/host:CPU"].values()
        for each in line
        if each.name.startswith("ffi_call")
    ]
    assert len(read_run(tmp_path / "run").calls) == 24
    for device in range(2):
        lines = planes[f"/device:CUSTOM:measured TPU:{device}"]
        calls = [each for name, line in lines.items() if "SparseCores" in name for each in line]
        expected = {f"{kind} table_{at}" for kind in ("lookup", "update") for at in range(2)}
        assert {each.name for each in calls} == expected
        assert len(calls) == 12
        assert [each.name for each in lines[f"TPU:{device}"]] == ["0", "1", "2"]
        for call in calls:
            # XLA's own event of the call has it within, to the exactness of two clocks.
            assert any(
                start - 1e6 <= call.start and call.start + call.duration <= end + 1e6
                for start, end in by_xla
            )


def test_a_profile_without_lookups_stays_as_it_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING), sc.trace(tmp_path / "logs"):
        jax.block_until_ready(jnp.ones(3) + 1)
    assert "no lookup or update ran in the profile" in caplog.text
    (file,) = (tmp_path / "logs").glob("plugins/profile/*/*.xplane.pb")
    assert not any("CUSTOM" in name for name in read_planes(file.read_bytes()))


def test_an_error_of_the_body_is_passed_on(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), sc.trace(tmp_path / "logs"):
        _ = 1 / 0
    with sc.trace(tmp_path / "more"):  # Neither JAX's profiler nor a recording is still on.
        pass


def test_a_file_that_jax_did_not_write_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "x.xplane.pb"
    file.write_bytes(b"")
    with pytest.raises(SparseCoreError, match="has no plane 'Task Environment' with profile_start"):
        add_tracks(file, make_run())
    assert file.read_bytes() == b""
