"""Reading a spec from the JSON that `TileSpec.to_json` writes."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.files.key_values import without_repeats
from sdykit.sparsecore.optimizers import make_optimizer
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.tile.spec.base import VERSION, TileSpec
from sdykit.sparsecore.tile.spec.lookup import LookupSpec
from sdykit.sparsecore.tile.spec.update import CustomUpdateSpec, UpdateSpec

_EXAMPLE = '{"version": 1, "kind": "lookup", "dim": 32, "samples_per_core": 1024}, for example'
_KINDS: Mapping[str, type[TileSpec]] = {
    each.kind: each for each in (LookupSpec, UpdateSpec, CustomUpdateSpec)
}


def spec_from_json(text: str) -> TileSpec:
    """Return the spec of a text that `to_json` returned; a field with a default may be missing.

    Raises:
        SparseCoreError: the text is not JSON, or a field is unknown, missing, wrong or given twice.
    """
    try:
        fields = json.loads(text, object_pairs_hook=without_repeats("spec"))
    except SparseCoreError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise SparseCoreError(f"spec: it is not JSON: {error}; expected {_EXAMPLE}") from None
    if not isinstance(fields, dict):
        raise SparseCoreError(f"spec: it is a {type(fields).__name__}; expected a JSON object")
    return spec_from_fields(fields)


def spec_from_fields(values: Mapping[str, Any]) -> TileSpec:
    """Return the spec whose `to_fields` are `values`; a field with a default may be missing.

    Lists stand for tuples, as in JSON.

    Raises:
        SparseCoreError: a field is unknown, missing or wrong.
    """
    fields = dict(values)
    version = fields.pop("version", None)
    if version != VERSION:
        raise SparseCoreError(f"spec: version is {version!r}; expected {VERSION}")
    name = fields.pop("kind", None)
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise SparseCoreError(f"spec: kind is {name!r}; expected one of {', '.join(_KINDS)}")
    return _make(kind, fields)


def _make(kind: type[TileSpec], fields: dict[str, Any]) -> TileSpec:
    known = [each.name for each in dataclasses.fields(kind)]
    for name in fields:
        if name not in known:
            raise SparseCoreError(
                f"{kind.kind}: there is no field {name!r}; expected one of {', '.join(known)}"
            )
    for each in dataclasses.fields(kind):
        if each.default is dataclasses.MISSING and each.name not in fields:
            raise SparseCoreError(f"{kind.kind}: {each.name} is missing; it has no default")
    if isinstance(fields.get("quantization"), dict):
        fields["quantization"] = _quantization(fields["quantization"])
    if isinstance(fields.get("optimizer"), dict):
        fields["optimizer"] = make_optimizer(**{"name": None, **fields["optimizer"]})
    for name, value in fields.items():
        if isinstance(value, list):
            fields[name] = tuple(value)
    return kind(**fields)


def _quantization(fields: dict[str, Any]) -> Quantization:
    try:
        return Quantization(**fields)
    except TypeError:
        names = [each.name for each in dataclasses.fields(Quantization)]
        raise SparseCoreError(
            f"quantization: its fields are {', '.join(fields) or 'none'}; "
            f"expected {', '.join(names)}"
        ) from None
