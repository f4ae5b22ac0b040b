"""Recognition of an input that is not what the tool reads, for a note beside the error."""

from __future__ import annotations

import re
from dataclasses import replace

from sdykit.core.diagnostics import Diagnostic, Severity, Sink

_HLO = "HLO text"
_MLIR = "MLIR text"
_BYTECODE = "MLIR bytecode"
_PROTO = "a protocol buffer of XLA"

_MAGIC = (
    (b"ML\xefR", _BYTECODE),
    (b"BC\xc0\xde", "LLVM bitcode"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"\x7fELF", "an ELF file"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a picture"),
    # Field 1 of `HloProto` and of `HloModuleProto`, which has a length.
    (b"\n", _PROTO),
)
_BLANK = r"(?:\s|//[^\n]*(?:\n|\Z))*+"
_TEXTS = (
    (rf"{_BLANK}(?:HloModule\b|ENTRY\b|%[\w.\-]+\s*+(?:\(|\{{))", _HLO),
    (
        rf'{_BLANK}(?:module\b|func\.func\b|[#!]\w+ =|(?:%\w+(?::\d+)? = )?"?[a-z]+\.[a-z_]+\b'
        r"[^;\n]*[({@])",
        _MLIR,
    ),
    (rf"{_BLANK}%?[\w.\-]+\s*+(?:\([^()]*\)\s*+->|\{{[ \t]*+\n)", _HLO),
    (r"\s*+(?i:<!doctype html|<html|<\?xml|<svg)", "HTML or XML"),
    (r"\s*+\{ lambda\b", "a jaxpr"),
    (r"\s*+(?:; ModuleID|source_filename =|target (?:triple|datalayout))", "LLVM IR"),
    (r"\s*+(?:hlo_module\b|name: \"[^\"]*\"\s+entry_computation_name)", f"{_PROTO}, as text"),
    (r'\s*+(?:\{\s*+["}]|\[)', "JSON"),
    (
        r"(?:\s|#[^\n]*\n|\"\"\"(?:[^\"]|\"(?!\"\"))*\"\"\")*+(?:from|import|def|class|@)\b",
        "Python",
    ),
)
_TEXT_PATTERNS = tuple((re.compile(pattern), kind) for pattern, kind in _TEXTS)

_TO_HLO = {
    _MLIR: "hlo-opt reads it with --import-mlir",
    "a jaxpr": "jax.jit(f).lower(x).as_text('hlo') returns HLO text",
    _PROTO: "XLA writes text with XLA_FLAGS='--xla_dump_to=DIR --xla_dump_hlo_as_text'",
    f"{_PROTO}, as text": "XLA writes HLO text with"
    " XLA_FLAGS='--xla_dump_to=DIR --xla_dump_hlo_as_text'",
}
_TO_MLIR = {
    _HLO: "hlo-opt reads it, and makes MLIR of it with --emit-mlir",
    "a jaxpr": "jax.jit(f).lower(x).as_text() returns MLIR",
    _PROTO: "jax.jit(f).lower(x).as_text() returns MLIR",
}


def looks_like(data: bytes) -> str | None:
    """Return what an input seems to be, judged by its beginning; None if that is unclear."""
    text = data.decode(errors="replace")
    is_text = "\ufffd" not in text and "\0" not in text
    if not is_text:
        return next((kind for magic, kind in _MAGIC if data.startswith(magic)), None)
    if data.startswith(b"%PDF"):
        return "a PDF"
    return next((kind for pattern, kind in _TEXT_PATTERNS if pattern.match(text)), None)


def not_hlo(data: bytes) -> str | None:
    """Return a note on an input that is not HLO text; None if it may be, with an error in it."""
    kind = looks_like(data)
    if kind is None and data.strip():
        return "this is not HLO text, which begins with 'HloModule' or a computation"
    return None if kind in (None, _HLO) else _note("HLO text", str(kind), _TO_HLO)


def not_mlir(data: bytes, of_hlo: str = _TO_MLIR[_HLO]) -> str | None:
    """Return a note on an input that is not MLIR; None if it may be, with an error in it.

    Args:
        data: the input.
        of_hlo: the advice if it is HLO text.
    """
    kind = looks_like(data)
    if kind in (None, _MLIR, _BYTECODE):
        return None
    return _note("MLIR", str(kind), _TO_MLIR | {_HLO: of_hlo})


def hinting(sink: Sink, hint: str | None) -> Sink:
    """Return a sink that adds `hint` as a note to errors, or `sink` itself if there is no hint."""
    if hint is None:
        return sink

    def emit(found: Diagnostic) -> None:
        note = replace(found, severity=Severity.NOTE, message=hint, notes=(), callers=())
        is_error = found.severity is Severity.ERROR
        sink(replace(found, notes=(*found.notes, note)) if is_error else found)

    return emit


def _note(expected: str, kind: str, advice: dict[str, str]) -> str:
    hint = f"; {advice[kind]}" if kind in advice else ""
    return f"this is not {expected}: it looks like {kind}{hint}"
