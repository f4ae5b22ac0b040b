"""The attributes of `custom-call` in both languages."""

from __future__ import annotations

import json
import re

from sdykit.hlo.attributes import quoted
from sdykit.hlo.mlir import fields
from sdykit.hlo.mlir.fields import Field, Texts
from sdykit.hlo.mlir.layouts import layouts
from sdykit.hlo.mlir.locations import unescaped
from sdykit.hlo.mlir.strings import of_string, string

_VERSIONS = {
    "API_VERSION_ORIGINAL": 1,
    "API_VERSION_STATUS_RETURNING": 2,
    "API_VERSION_STATUS_RETURNING_UNIFIED": 3,
    "API_VERSION_TYPED_FFI": 4,
}
_NAMES = {number: name for name, number in _VERSIONS.items()}
_TYPED = 4
_ALIAS = re.compile(r"\{([\d,\s]*)\}\s*:\s*\(\s*(\d+)\s*,\s*\{([\d,\s]*)\}\s*\)")
_OF_MLIR = re.compile(
    r"output_operand_alias<output_tuple_indices = \[([\d, ]*)\], operand_index = (\d+), "
    r"operand_tuple_indices = \[([\d, ]*)\]>"
)


def target() -> Field:
    """Return a field for `custom_call_target="foo"`."""
    mlir_name = "call_target_name"
    return fields.single(
        "custom_call_target",
        (mlir_name,),
        lambda text: {mlir_name: string(unescaped(text))},
        lambda found: quoted(of_string(found[mlir_name])),
    )


def aliasing() -> Field:
    """Return a field for `output_to_operand_aliasing={{0}: (1, {})}`."""
    mlir_name = "output_operand_aliases"

    def encode(text: str) -> Texts:
        if _ALIAS.sub("", text).strip("{}, "):
            raise ValueError(f"expected aliases such as {{{{0}}: (1, {{}})}}, found {text}")
        entries = [
            f"#stablehlo.output_operand_alias<output_tuple_indices = [{output}], "
            f"operand_index = {operand}, operand_tuple_indices = [{index}]>"
            for output, operand, index in _ALIAS.findall(text)
        ]
        return {mlir_name: f"[{', '.join(entries)}]"}

    def decode(found: Texts) -> str | None:
        entries = [
            f"{{{output.replace(' ', '')}}}: ({operand}, {{{index.replace(' ', '')}}})"
            for output, operand, index in _OF_MLIR.findall(found[mlir_name])
        ]
        return f"{{{', '.join(entries)}}}" if entries else None

    return fields.single("output_to_operand_aliasing", (mlir_name,), encode, decode)


def interface() -> Field:
    """Return a field for `api_version=...` and `backend_config`, whose form depends on it."""
    config, of_jax = "backend_config", "mhlo.backend_config"

    def encode(found: Texts) -> Texts:
        name = found.get("api_version", "API_VERSION_ORIGINAL")
        if name not in _VERSIONS:
            known = ", ".join(_VERSIONS)
            raise ValueError(f"attribute api_version: expected one of {known}, found {name}")
        version = _VERSIONS[name]
        attributes = {"api_version": f"{version} : i32"} if "api_version" in found else {}
        if config in found:
            text = unescaped(found[config])
            attributes[config] = text if version == _TYPED else string(text)
        return attributes

    def decode(found: Texts) -> Texts:
        if of_jax in found:
            if not found[of_jax].startswith("{") or found.get(config, '""') != '""':
                raise ValueError(f"{of_jax} is not a dictionary, or not the only configuration")
            return {"api_version": _NAMES[_TYPED], config: found[of_jax]}
        version = int(found.get("api_version", "1").partition(" ")[0])
        if version not in _NAMES:
            raise ValueError(f"api_version: expected a number from 1 to 4, found {version}")
        texts = {} if version == 1 else {"api_version": _NAMES[version]}
        text = found.get(config, '""')
        if text.startswith("{"):
            return {**texts, config: text}
        plain = of_string(text)
        return {**texts, config: plain if _is_json(plain) else quoted(plain)} if plain else texts

    return Field(("api_version", config), ("api_version", config, of_jax), encode, decode)


def all_fields() -> tuple[Field, ...]:
    """Return the fields for all attributes but the called computations."""
    effects = fields.boolean("custom_call_has_side_effect", "has_side_effect")
    return (target(), effects, aliasing(), interface(), layouts())


def _is_json(text: str) -> bool:
    """Whether a configuration is written without quotes in HLO."""
    if not text.startswith("{"):
        return False
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
