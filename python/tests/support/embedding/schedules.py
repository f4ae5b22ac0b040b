"""Checks of schedules: what SparseCores do beside the matrix products of the TensorCore."""

from __future__ import annotations

from sdykit import hlo
from sdykit.hlo.verify import verify


def positions(text: str) -> tuple[dict[str, list[int]], list[int]]:
    """Return the positions of starts and dones by kind of program, and those of matrix products."""
    module = hlo.read(text, "schedule.hlo")
    assert not verify(module)
    ops = module.entry.instructions
    found: dict[str, list[int]] = {}
    for number, op in enumerate(ops):
        if op.opcode != "async-start":
            continue
        (done,) = op.users
        ((_, called),) = op.called_names()
        assert op.attributes["async_execution_thread"] == '"sparsecore"'
        config = module.computation(called).root.attributes["backend_config"] or ""
        kind = "lookup" if "\\22kind\\22:\\22lookup\\22" in config else "update"
        found.setdefault(f"{kind} starts", []).append(number)
        found.setdefault(f"{kind} ends", []).append(ops.index(done))
    products = [
        number
        for number, op in enumerate(ops)
        if "dot_general" in (op.attributes.get("metadata") or "")
        and op.opcode not in ("copy", "bitcast", "get-tuple-element")
    ]
    assert products
    return found, products


def check_pipelined(text: str, tables: int = 2) -> None:
    """Check that lookups are in flight while all matrix products are computed, after the updates."""
    found, products = positions(text)
    assert len(found["lookup starts"]) == len(found["update starts"]) == tables
    assert max(found["lookup starts"]) < min(products)
    assert max(products) < min(found["lookup ends"])
    assert max(found["update ends"]) < min(products)


def check_in_order(text: str, tables: int = 2) -> None:
    """Check that lookups come before all matrix products that need them, and updates after these."""
    found, products = positions(text)
    assert len(found["lookup starts"]) == len(found["update starts"]) == tables
    assert max(found["lookup ends"]) < max(products)
    assert min(products) < min(found["update starts"])
    assert min(found["lookup ends"]) < min(products)
