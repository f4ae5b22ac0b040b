"""Specs of kernels: what a compiled JAX program carries."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.mosaic.spec import MosaicChip, MosaicSpec

CHIP = MosaicChip(name="7x", cores=2, subcores=16, lanes=16, vmem_bytes=2**19, granule=32)
SPEC = MosaicSpec(
    name="k", module="module {}", operands=1, chip=CHIP, order=7, input_output_aliases=((0, 0),)
)


def test_a_spec_is_json_and_back() -> None:
    fields = json.loads(json.dumps(SPEC.to_fields()))
    assert (fields["version"], fields["kind"]) == (1, "mosaic")
    assert MosaicSpec.from_fields(fields) == SPEC


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("mode", "quick", "mode is 'quick'; expected one of 'check', 'fast', 'reference'"),
        ("races", None, "races is None; expected one of 'error', 'warn', 'off'"),
        ("order", "1", "order is '1'; expected 'lockstep', 'subcore' or a seed"),
        ("uninitialized", 0, "uninitialized is 0; expected one of 'nan', 'zero'"),
        ("out_of_bounds", "", "out_of_bounds is ''; expected one of 'raise', 'uninitialized'"),
        ("module", 3, "module is 3; expected a string"),
        ("operands", -1, "operands is -1; expected a number of arrays"),
        ("chip", "7x", "chip is '7x'; expected the numbers of a chip"),
        ("input_output_aliases", [1], "input_output_aliases is [1]; expected pairs of numbers"),
        ("mod", "check", "unknown field mod; did you mean 'mode'?"),
    ],
)
def test_a_wrong_field_is_an_error(name: str, value: Any, text: str) -> None:
    with pytest.raises(SparseCoreError) as found:
        MosaicSpec.from_fields({**SPEC.to_fields(), name: value})
    assert str(found.value) == f"spec: {text}"


def test_a_missing_field_and_a_wrong_number_of_the_chip_are_errors() -> None:
    fields = SPEC.to_fields()
    with pytest.raises(SparseCoreError, match=r"^spec: field name is missing$"):
        MosaicSpec.from_fields({name: value for name, value in fields.items() if name != "name"})
    chip = {**fields["chip"], "lanes": 0}
    with pytest.raises(SparseCoreError, match=r"^spec: chip.lanes is 0; expected a positive int"):
        MosaicSpec.from_fields({**fields, "chip": chip})
    with pytest.raises(SparseCoreError, match=r"^spec: unknown field chip.lane; did you mean 'l"):
        MosaicSpec.from_fields({**fields, "chip": {**fields["chip"], "lane": 8}})
