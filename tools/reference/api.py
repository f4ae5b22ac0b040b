"""The page of the Python API: what programs may rely on, module by module.

The files are read, not imported: the page is the same under all versions of Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import griffe

SECTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "Passes and pipelines": {"sdykit.core": ()},
    "Modules of MLIR": {
        "sdykit.mlir": (),
        "sdykit.dialects": (),
        "sdykit.dialects.views": ("view",),
    },
    "From JAX": {
        "sdykit.bridge.from_jax": ("lower",),
        "sdykit.bridge.sharding_api": ("constrain", "attach", "group"),
        "sdykit.bridge.errors": (),
    },
    "Shardings explained": {
        "sdykit.explain": (),
        "sdykit.explain.questions": (),
        "sdykit.explain.costs": (),
        "sdykit.explain.model": (),
        "sdykit.explain.page": (),
    },
    "Partitioned programs": {"sdykit.spmd": ()},
    "MPMD programs": {"sdykit.mpmd": ()},
    "Reports and pictures": {
        "sdykit.viz.import_report": (),
        "sdykit.viz.mpmd_view": (),
        "sdykit.viz.mpmd_view.model": (),
        "sdykit.viz.memory_view": (),
        "sdykit.viz.timeline": (),
        "sdykit.viz.page": (),
    },
    "HLO text": {"sdykit.hlo": (), "sdykit.hlo.from_mlir": (), "sdykit.hlo.to_mlir": ()},
    "SparseCore on the host": {
        "sdykit.sparsecore": (),
        "sdykit.sparsecore.chip": (),
        "sdykit.sparsecore.config": (),
        "sdykit.sparsecore.specs": (),
        "sdykit.sparsecore.optimizers": (),
        "sdykit.sparsecore.quantization": (),
        "sdykit.sparsecore.stacking": (),
        "sdykit.sparsecore.inputs": (),
        "sdykit.sparsecore.preprocess": (),
        "sdykit.sparsecore.limits": (),
        "sdykit.sparsecore.prefetching": (),
        "sdykit.sparsecore.reference": (),
    },
    "jax-tpu-embedding": {"sdykit.bridge.jax_tpu_embedding.preprocessing": ()},
    "Tile programs": {
        "sdykit.sparsecore.memory": (),
        "sdykit.sparsecore.memory.step": (),
        "sdykit.sparsecore.memory.spmem": (),
        "sdykit.sparsecore.counts": (),
        "sdykit.sparsecore.cost": (),
        "sdykit.sparsecore.exchange": ("Exchange",),
        "sdykit.sparsecore.run": (),
        "sdykit.sparsecore.timeline": (),
        "sdykit.sparsecore.whatif": (),
        "sdykit.sparsecore.bottlenecks": (),
        "sdykit.sparsecore.cost.calibration": ("compare", "table"),
        "sdykit.sparsecore.codegen": (),
        "sdykit.sparsecore.tile.spec": (),
        "sdykit.sparsecore.tile.compile": (),
        "sdykit.bridge.ffi": ("call", "register_kind", "TARGET"),
    },
    "Errors": {"sdykit.errors": ()},
}
"""The public modules by section, each with its public names; none stands for all names."""

_INTRODUCTION = """\
<!-- Written by tools/generate_reference.py; change that, or the docstrings in python/sdykit. -->

# Python API

What programs may rely on. Names that are not here, or begin with an underscore, can
change from one version to the next.
"""
_BESIDE: dict[str, str] = {
    "sdykit.dialects": "Its modules `sdy` and `mpmd` have the operations, attributes and types of"
    " [the sdy dialect](sdy_dialect.md) and [the mpmd dialect](mpmd_dialect.md).",
}
_IMPORT = re.compile(r"^\s*(?:from (sdykit[\w.]*) import (.+)|import (sdykit[\w.]*))", re.MULTILINE)


def api_page(root: Path) -> str:
    """Return the text of the page.

    Args:
        root: the checkout.
    """
    package = griffe.load("sdykit", search_paths=[root / "python"], docstring_parser="google")
    assert isinstance(package, griffe.Module)
    parts = [_INTRODUCTION.rstrip()]
    for title, modules in SECTIONS.items():
        parts.append(f"## {title}")
        for path, names in modules.items():
            parts += _module(package, path, names)
    return "\n\n".join(parts) + "\n"


def unlisted(root: Path) -> list[str]:
    """Return the modules that pages in `docs` import from, and that the page does not list."""
    listed = {path for modules in SECTIONS.values() for path in modules}
    found = dict[str, None]()
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        for module, names, whole in _IMPORT.findall(page.read_text(encoding="utf-8")):
            paths = [f"{module}.{name.strip()}" for name in names.split(",")] if module else []
            if not listed.intersection([module or whole, *paths]):
                found[f"{page.relative_to(root)}: {module or whole}"] = None
    return list(found)


def _module(package: griffe.Module, path: str, names: tuple[str, ...]) -> Iterator[str]:
    module = package[path.partition(".")[2]]
    yield f"### {path}"
    yield from _docstring(module)
    if path in _BESIDE:
        yield _BESIDE[path]
    for member in _members(module, names):
        yield from _member(member)


def _members(
    module: griffe.Object, names: tuple[str, ...]
) -> Iterator[griffe.Object | griffe.Alias]:
    """Yield the public members that have a docstring, those of other modules if exported."""
    exported = names or tuple(str(name) for name in module.exports or ())
    for name, member in module.members.items():
        if exported and name not in exported:
            continue
        if not exported and (name.startswith("_") or member.is_alias):
            continue
        try:
            target = member.final_target if isinstance(member, griffe.Alias) else member
        except griffe.AliasResolutionError:
            continue  # of another package, such as the bindings
        if target.has_docstring and not target.is_module:
            yield target


def _member(member: griffe.Object | griffe.Alias) -> Iterator[str]:
    yield f"#### {member.name}"
    if isinstance(member, griffe.Function):
        yield _code(_signature(member))
    elif isinstance(member, griffe.Class):
        yield _code(_class_head(member))
    elif isinstance(member, griffe.Attribute):
        yield _code(_attribute(member))
    yield from _docstring(member)
    if isinstance(member, griffe.Class):
        yield from _class_members(member)


def _class_members(cls: griffe.Class) -> Iterator[str]:
    shown = [each for name, each in cls.members.items() if not name.startswith("_")]
    fields = [each for each in shown if isinstance(each, griffe.Attribute)]
    if fields:
        yield "\n".join(map(_field, fields))
    for each in shown:
        if isinstance(each, griffe.Function) and each.has_docstring:
            yield f"##### {cls.name}.{each.name}"
            yield _code(_signature(each))
            yield from _docstring(each)


def _field(field: griffe.Attribute) -> str:
    text = _inline(field)
    return f"- `{_attribute(field)}`" + (f": {text}" if text else "")


def _signature(function: griffe.Function) -> str:
    parameters = [each for each in function.parameters if each.name not in ("self", "cls")]
    texts, keyword_only = list[str](), False
    for each in parameters:
        star = {"variadic positional": "*", "variadic keyword": "**"}.get(each.kind.value, "")  # type: ignore[union-attr]
        if each.kind == griffe.ParameterKind.keyword_only and not keyword_only:
            keyword_only = True
            texts += [] if any(text.startswith("*") for text in texts) else ["*"]
        note = f": {each.annotation}" if each.annotation else ""
        default = f" = {each.default}" if each.default is not None and not star else ""
        texts.append(f"{star}{each.name}{note}{default if note else default.replace(' ', '')}")
    returned = f" -> {function.returns}" if function.returns else ""
    line = f"def {function.name}({', '.join(texts)}){returned}"
    if len(line) <= 88:
        return line
    return f"def {function.name}(\n" + "".join(f"    {text},\n" for text in texts) + f"){returned}"


def _class_head(cls: griffe.Class) -> str:
    bases = f"({', '.join(map(str, cls.bases))})" if cls.bases else ""
    return f"class {cls.name}{bases}"


def _attribute(attribute: griffe.Attribute) -> str:
    note = f": {attribute.annotation}" if attribute.annotation else ""
    value = str(attribute.value or "")
    shown = value and len(value) <= 60 and "\n" not in value and "field(" not in value
    return " ".join(f"{attribute.name}{note}{f' = {value}' if shown else ''}".split())


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


def _inline(member: griffe.Object) -> str:
    return " ".join((member.docstring.value if member.docstring else "").split())


_TITLES = {
    griffe.DocstringSectionKind.parameters: "Arguments",
    griffe.DocstringSectionKind.returns: "Returns",
    griffe.DocstringSectionKind.yields: "Yields",
    griffe.DocstringSectionKind.attributes: "Attributes",
    griffe.DocstringSectionKind.raises: "Raises",
    griffe.DocstringSectionKind.warns: "Warns",
}


def _docstring(member: griffe.Object | griffe.Alias) -> Iterator[str]:
    if member.docstring is None:
        return
    for section in member.docstring.parse("google", warnings=False):
        if section.kind is griffe.DocstringSectionKind.text:
            yield str(section.value).strip()
        elif section.kind is griffe.DocstringSectionKind.admonition:
            yield f"**{section.title}** {' '.join(section.value.description.split())}"
        elif section.kind in _TITLES:
            yield "\n".join([f"**{_TITLES[section.kind]}**", "", *map(_entry, section.value)])
        else:
            raise ValueError(f"{member.path}: no form for a section {section.kind.value!r}")


def _entry(entry: griffe.DocstringElement) -> str:
    named = (griffe.DocstringParameter, griffe.DocstringAttribute)
    name = entry.name if isinstance(entry, named) else ""
    if isinstance(entry, (griffe.DocstringRaise, griffe.DocstringWarn)):
        name = str(entry.annotation)
    text = " ".join(entry.description.split())
    return f"- `{name}`: {text}" if name else f"- {text}"
