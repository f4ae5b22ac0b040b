"""Strings in the text of MLIR attributes, and the attributes that are carried in them."""

from __future__ import annotations

import re

from sdykit.hlo.attributes import quoted
from sdykit.hlo.mlir.fields import Texts
from sdykit.hlo.mlir.locations import unescaped

CARRIED = {
    "sharding": "mhlo.sharding",
    "frontend_attributes": "mhlo.frontend_attributes",
    "backend_config": "hlo.backend_config",
    "metadata": "hlo.metadata",
    "origin": "hlo.origin",
    "parameter_replication": "hlo.parameter_replication",
    "statistics": "hlo.statistics",
}
"""Attributes that any instruction may have, and the attribute of an op that holds their text.

Metadata is there only if a location cannot hold it.
"""
RAW_FRONTEND = "hlo.frontend_attributes"
"""Frontend attributes whose text a dictionary would not preserve."""
OF_MLIR = frozenset([*CARRIED.values(), RAW_FRONTEND])

_ESCAPE = re.compile(rb"\\([0-9A-Fa-f]{2}|.)", re.DOTALL)
_NAMED = {b"n": b"\n", b"t": b"\t"}
_ENTRY = re.compile(r'([\w.\-]+)=("(?:[^"\\]|\\.)*"),?', re.DOTALL)
_DICTIONARY = re.compile(r'"?((?:[^"\\=]|\\.)+?)"? = ("(?:[^"\\]|\\.)*")(?:, |\})', re.DOTALL)


def string(text: str) -> str:
    """Return a string as MLIR prints it."""
    plain = [
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:02X}"
        for byte in text.encode()
    ]
    return f'"{"".join(plain)}"'


def of_string(text: str) -> str:
    """Return the value of a string in MLIR's form."""
    if len(text) < 2 or text[0] != '"':
        raise ValueError(f"expected a string, found {text}")

    def byte(found: re.Match[bytes]) -> bytes:
        if len(found[1]) == 2:
            return bytes.fromhex(found[1].decode())
        return _NAMED.get(found[1], found[1])

    return _ESCAPE.sub(byte, text[1:-1].encode()).decode(errors="replace")


def encode_carried(attributes: Texts) -> dict[str, str]:
    """Return the attributes of the op that hold the common ones of an instruction."""
    found = dict[str, str]()
    for name, mlir_name in CARRIED.items():
        if name not in attributes:
            continue
        text = attributes[name]
        if name != "frontend_attributes":
            found[mlir_name] = string(text)
            continue
        entries = [(key, unescaped(value)) for key, value in _ENTRY.findall(text)]
        if entries and _frontend(dict(entries)) == text:
            pairs = [f"{string(key)} = {string(value)}" for key, value in entries]
            found[mlir_name] = f"{{{', '.join(pairs)}}}"
        else:
            found[RAW_FRONTEND] = string(text)
    return found


def decode_carried(attributes: Texts) -> dict[str, str]:
    """Return the common attributes of an instruction that an op holds."""
    found = dict[str, str]()
    for name, mlir_name in CARRIED.items():
        if name == "frontend_attributes":
            if RAW_FRONTEND in attributes:
                found[name] = of_string(attributes[RAW_FRONTEND])
            elif mlir_name in attributes:
                pairs = _DICTIONARY.findall(attributes[mlir_name][1:])
                texts = {of_string(f'"{key}"'): of_string(value) for key, value in pairs}
                found[name] = _frontend(texts)
        elif mlir_name in attributes:
            found[name] = of_string(attributes[mlir_name])
    return found


def _frontend(entries: dict[str, str]) -> str:
    pairs = [f"{key}={quoted(entries[key])}" for key in sorted(entries)]
    return f"{{{','.join(pairs)}}}"
