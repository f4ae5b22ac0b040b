"""How phases and the runtime call each other."""

from __future__ import annotations

from sdykit.sparsecore.codegen.emission.emitter import Emitter
from sdykit.sparsecore.codegen.translation.runtime_calls import PACKED
from sdykit.sparsecore.codegen.translation.runtime_functions import AGENT_OFFSET, HEADER_BYTES
from sdykit.sparsecore.codegen.translation.translator import Translator

RUN_ORDINARY = "sc_run_ordinary"
"""The function of the runtime that runs iterations of a phase whose agents do not wait."""


def declare_runner(name: str) -> str:
    """Return the declaration of a function of the runtime that runs a phase."""
    return f"declare void @{name}(ptr, ptr, ptr, i64, i64, ptr, ptr)"


def store_agent(e: Emitter, arena: str, iteration: str) -> None:
    """Store the number of an iteration in the header before the arena."""
    place = e.set(f"getelementptr i8, ptr {arena}, i64 {AGENT_OFFSET - HEADER_BYTES}")
    e.do(f"store i64 {iteration}, ptr {place}")


def allocate_packed(t: Translator) -> list[str]:
    """Return the instructions that make the array of the frame, if a call needs it."""
    return [f"{PACKED} = alloca [{t.packed} x i64]"] if t.packed else []
