"""Starts, updates and dones may have the attributes that jaxlib's parser accepts."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from sdykit import hlo
from sdykit.hlo.verify import verify

VALUES = {
    "async_execution_thread": '"main"',
    "async_group_id": "1",
    "backend_config": '"x"',
    "called_computations": "{%c}",
    "calls": "%c",
    "channel_id": "1",
    "control-predecessors": "{%p}",
    "custom_call_has_side_effect": "true",
    "custom_call_target": '"f"',
    "dimensions": "{0}",
    "direction": "LT",
    "execution_thread": '"main"',
    "foo": "1",
    "frontend_attributes": '{a="b"}',
    "index": "0",
    "kind": "kLoop",
    "metadata": '{op_name="x"}',
    "origin": '{{"a"}}',
    "precision_config": "{}",
    "replica_groups": "{{0}}",
    "sharding": "{replicated}",
    "statistics": "{visualizing_index=0,a=1}",
    "to_apply": "%c",
}
PHASES = ("start", "update", "done")
PROGRAM = """HloModule m

%c (q: f32[8]) -> f32[8] {
  %q = f32[8]{0} parameter(0)
  ROOT %r = f32[8]{0} negate(%q)
}

ENTRY %main (p: f32[8]) -> f32[8] {
  %p = f32[8]{0} parameter(0)
  %s = ((f32[8]{0}), f32[8]{0}, s32[]) async-start(%p), calls=%c START
  %u = ((f32[8]{0}), f32[8]{0}, s32[]) async-update(%s) UPDATE
  ROOT %d = f32[8]{0} async-done(%u) DONE
}
"""
ASKED = """
import json, sys
from jaxlib import _hlo
def refusal(text):
    try:
        _hlo.hlo_module_from_text(text)
    except RuntimeError as error:
        return str(error)
    return ""
json.dump([refusal(text) for text in json.load(sys.stdin)], sys.stdout)
"""


def with_attribute(phase: str, attribute: str) -> str:
    text = PROGRAM
    if attribute.startswith("calls=") and phase == "start":
        attribute = ""
    for each in PHASES:
        text = text.replace(
            f" {each.upper()}", f", {attribute}" if each == phase and attribute else ""
        )
    return text


def errors(text: str) -> list[str]:
    return [error.message for error in verify(hlo.read(text))]


def test_xla_refuses_the_same_attributes():
    cases = [(phase, f"{name}={value}") for phase in PHASES for name, value in VALUES.items()]
    done = subprocess.run(
        [sys.executable, "-c", ASKED],
        input=json.dumps([with_attribute(*case) for case in cases]),
        capture_output=True,
        text=True,
        check=True,
    )
    refused = 0
    for case, theirs in zip(cases, json.loads(done.stdout), strict=True):
        wording = [
            each.partition("error: ")[2] for each in theirs.splitlines() if "Allowed" in each
        ]
        # Errors about callers of the computation are not about attributes.
        ours = [each for each in errors(with_attribute(*case)) if "unexpected" in each]
        assert ours == wording, case
        refused += bool(wording)
    assert refused == 42


@pytest.mark.parametrize("phase", ["update", "done"])
def test_an_update_or_done_must_not_have_aliases(phase: str):
    (error,) = errors(with_attribute(phase, "output_to_operand_aliasing={{}: (0, {})}"))
    assert error.startswith(
        'unexpected attribute "output_to_operand_aliasing". Allowed attributes:'
    )


@pytest.mark.parametrize("attribute", ["async_group_id=1", 'execution_thread="x"', "calls=%c"])
def test_attributes_that_no_operation_has_are_refused_on_sugar(attribute: str):
    text = PROGRAM.replace("async-start(%p), calls=%c START", f"negate-start(%p), {attribute}")
    text = text.replace("async-", "negate-").replace(" UPDATE", "").replace(" DONE", "")
    name = attribute.partition("=")[0]
    with pytest.raises(
        hlo.HloSyntaxError,
        match=f':10:[0-9]+: error: unexpected attribute "{name}" of negate-start',
    ):
        hlo.read(text)
