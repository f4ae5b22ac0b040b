"""The JSON of a run: all but its long parts."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sdykit.sparsecore.chip import chip as find_chip
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.memory import Entry, Ledger
from sdykit.sparsecore.mosaic.spec import KIND, MosaicSpec
from sdykit.sparsecore.run.model import Change, Feature, Program, Run, StackOfTables, Table
from sdykit.sparsecore.tile.spec import TileSpec, spec_from_fields

FORMAT: Final = "sdykit run"
VERSION: Final = 1
JSON_FILE: Final = "run.json"
ARRAYS_FILE: Final = "arrays.npz"
CHIP_FILE: Final = "chip"
"""The name, without its suffix, of a copy of the file that describes the chip."""

_PLAIN: Final = ("devices", "settings", "versions", "seconds", "left_out", "error", "began")


def text_of(run: Run, arrays: int) -> str:
    """Return the JSON of a run.

    Args:
        run: the run.
        arrays: the size of the file with its arrays, in bytes.
    """
    values: dict[str, Any] = {"format": FORMAT, "version": VERSION, "chip": Path(run.chip).name}
    values |= {name: getattr(run, name) for name in _PLAIN}
    values["tables"] = [dataclasses.asdict(each) for each in run.tables]
    values["stacks"] = [dataclasses.asdict(each) for each in run.stacks]
    values["programs"] = [_program_fields(each) for each in run.programs]
    ledger = run.ledger
    values["ledger"] = ledger and {
        "serialized_tables": ledger.serialized_tables,
        "entries": [dataclasses.asdict(each) for each in ledger.entries],
    }
    values["batches_with_ids"] = [
        {"batch": each.batch, "features": list(each.ids)} for each in run.ids
    ]
    values["arrays_bytes"] = arrays
    return json.dumps(values, indent=1, default=_plain) + "\n"


def _plain(value: object) -> object:
    """Return a value that JSON has no form for as one that it has."""
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):
        return value.tolist()  # pyright: ignore[reportAttributeAccessIssue] # numpy's
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return str(value)


def _program_fields(program: Program) -> dict[str, Any]:
    names = [each.name for each in dataclasses.fields(Program) if each.name != "spec"]
    values = {name: getattr(program, name) for name in names}
    changed = [dataclasses.asdict(each) for each in program.changed]
    return {"spec": program.spec.to_fields(), **values, "changed": changed}


def fields_of(path: Path, text: str) -> dict[str, Any]:
    """Return the values of a run's JSON.

    Raises:
        SparseCoreError: it is cut off, of something else, or of a newer version.
    """
    try:
        values = json.loads(text)
    except ValueError as error:
        raise SparseCoreError(
            f"{path}: error: it is damaged or cut off: {error}; record the run again"
        ) from None
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise SparseCoreError(
            f"{path}: error: it is not of a run; expected what `sdykit.sparsecore.record` writes"
        )
    version = values.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise SparseCoreError(
            f"{path}: error: the run has version {version!r}, and this sdykit reads up to {VERSION}; "
            "expected an sdykit as new as the one that recorded it"
        )
    return values


def parts_of(values: Mapping[str, Any], chip: str) -> dict[str, Any]:
    """Return the fields of a `Run` that its JSON has.

    Args:
        values: the values of the JSON.
        chip: the name of the chip, or the file that describes it.

    Raises:
        KeyError, TypeError, ValueError: a value is missing, or of another type.
    """
    return {
        "chip": chip,
        **{name: values[name] for name in _PLAIN},
        "tables": tuple(map(_table, values["tables"])),
        "stacks": tuple(map(_stack, values["stacks"])),
        "programs": tuple(_program(each, values["chip"], chip) for each in values["programs"]),
        "ledger": None if values["ledger"] is None else _ledger(values["ledger"], chip),
    }


def _ledger(values: Mapping[str, Any], chip: str) -> Ledger:
    entries = tuple(Entry(**each) for each in values["entries"])
    return Ledger(find_chip(chip), entries, int(values["serialized_tables"]))


def _table(values: Mapping[str, Any]) -> Table:
    return Table(**{**values, "features": tuple(Feature(**each) for each in values["features"])})


def _stack(values: Mapping[str, Any]) -> StackOfTables:
    limits = {
        name: tuple(each) if isinstance(each, list) else each
        for name, each in values["limits"].items()
    }
    own = {"tables": tuple(values["tables"]), "rotations": tuple(values["rotations"])}
    return StackOfTables(**{**values, **own, "limits": limits})


def _program(values: Mapping[str, Any], recorded: str, chip: str) -> Program:
    spec = _spec(values["spec"], recorded, chip)
    changed = tuple(Change(**each) for each in values["changed"])
    return Program(**{**values, "spec": spec, "changed": changed})


def _spec(values: Mapping[str, Any], recorded: str, chip: str) -> TileSpec | MosaicSpec:
    if values["kind"] == KIND:
        return MosaicSpec.from_fields(values)
    is_own = Path(values["chip"]).name == recorded
    return spec_from_fields({**values, "chip": chip} if is_own else values)
