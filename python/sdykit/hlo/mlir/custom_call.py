"""The attributes of `custom-call`."""

from __future__ import annotations

import json
import re

from sdykit.hlo.attributes import quoted
from sdykit.hlo.mlir import fields as forms
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
    """`custom_call_target="foo"`."""
    use = "call_target_name"
    return forms.single(
        "custom_call_target",
        (use,),
        lambda text: {use: string(unescaped(text))},
        lambda found: quoted(of_string(found[use])),
    )


def aliasing() -> Field:
    """`output_to_operand_aliasing={{0}: (1, {})}`."""
    use = "output_operand_aliases"

    def encode(text: str) -> Texts:
        if _ALIAS.sub("", text).strip("{}, "):
            raise ValueError(f"{text} is no aliasing")
        entries = [
            f"#stablehlo.output_operand_alias<output_tuple_indices = [{output}], "
            f"operand_index = {operand}, operand_tuple_indices = [{index}]>"
            for output, operand, index in _ALIAS.findall(text)
        ]
        return {use: f"[{', '.join(entries)}]"}

    def decode(found: Texts) -> str | None:
        entries = [
            f"{{{output.replace(' ', '')}}}: ({operand}, {{{index.replace(' ', '')}}})"
            for output, operand, index in _OF_MLIR.findall(found[use])
        ]
        return f"{{{', '.join(entries)}}}" if entries else None

    return forms.single("output_to_operand_aliasing", (use,), encode, decode)


def interface() -> Field:
    """`api_version=...` and `backend_config`, whose form depends on it."""
    config, of_jax = "backend_config", "mhlo.backend_config"

    def encode(found: Texts) -> Texts:
        name = found.get("api_version", "API_VERSION_ORIGINAL")
        if name not in _VERSIONS:
            raise ValueError(f"api_version={name} is not known")
        version = _VERSIONS[name]
        uses = {"api_version": f"{version} : i32"} if "api_version" in found else {}
        if config in found:
            text = unescaped(found[config])
            uses[config] = text if version == _TYPED else string(text)
        return uses

    def decode(found: Texts) -> Texts:
        if of_jax in found:
            if not found[of_jax].startswith("{") or found.get(config, '""') != '""':
                raise ValueError(f"{of_jax} is no dictionary, or not the only configuration")
            return {"api_version": _NAMES[_TYPED], config: found[of_jax]}
        version = int(found.get("api_version", "1").partition(" ")[0])
        if version not in _NAMES:
            raise ValueError(f"api_version = {version} has no name in HLO")
        texts = {} if version == 1 else {"api_version": _NAMES[version]}
        text = found.get(config, '""')
        if text.startswith("{"):
            return {**texts, config: text}
        plain = of_string(text)
        return {**texts, config: plain if _is_json(plain) else quoted(plain)} if plain else texts

    return Field(("api_version", config), ("api_version", config, of_jax), encode, decode)


def fields() -> tuple[Field, ...]:
    """All but the computations that are called."""
    effects = forms.truth("custom_call_has_side_effect", "has_side_effect")
    return (target(), effects, aliasing(), interface(), layouts())


def _is_json(text: str) -> bool:
    """Whether the configuration is written without quotes."""
    if not text.startswith("{"):
        return False
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
