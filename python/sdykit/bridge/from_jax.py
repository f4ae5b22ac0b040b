"""From a JAX function to the text of a module in StableHLO and sdy: Shardy's compiler API in Python.

    from jax.sharding import AbstractMesh, PartitionSpec as P
    from sdykit.bridge.from_jax import lower

    mesh = AbstractMesh((4, 2), ("data", "model"))
    print(lower(fn, x, w, in_shardings=(P("data"), P(None, "model")), mesh=mesh))

No device of the mesh needs to exist. Inside `fn`, JAX's own functions constrain
(`jax.lax.with_sharding_constraint`) and open a manual region (`jax.shard_map`); `attach`,
`constrain` and `group` express what JAX cannot.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax._src import xla_bridge
from jax.extend import source_info_util
from jax.sharding import AbstractMesh, Mesh, NamedSharding, Sharding
from jax.sharding import PartitionSpec as P

from sdykit.bridge.errors import BridgeError
from sdykit.bridge.sharding.primitives import text_only
from sdykit.bridge.sharding.text import abstract_mesh, parse_sharding, spec_text
from sdykit.bridge.sharding_api import attach, constrain, group, with_sharding_rule
from sdykit.core import run_pipeline
from sdykit.mlir import FuncOp, ir, make_context

__all__ = ["BridgeError", "attach", "constrain", "group", "lower", "with_sharding_rule"]

# Locations name the user's code, not the functions here that call it.
for _folder in ("bridge", "explain"):
    source_info_util.register_exclusion(str(Path(__file__).parents[1] / _folder))


def lower(
    fn: Callable[..., Any],
    *args: Any,
    in_shardings: Any = None,
    out_shardings: Any = None,
    mesh: Mesh | AbstractMesh | None = None,
    debuginfo: bool = False,
    platform: str = "cpu",
) -> str:
    """Return the text of the module in StableHLO and sdy that a JAX function is lowered to.

    Args:
        fn: a function of arrays, or one that `jax.jit` has wrapped already. All arguments of a
            plain function become arguments of `@main`, in order, used or not.
        *args: arrays, `jax.ShapeDtypeStruct`s, Python numbers, or trees of them. Only
            their shapes, dtypes and mesh shardings matter.
        in_shardings: for each argument (or part of its tree, as in `jax.jit`) a
            `PartitionSpec`, a `NamedSharding`, sdy's text such as `'[{"data", ?}p1, {}]'`,
            or None: propagation may choose it.
        out_shardings: the same for the results.
        mesh: the mesh of the `PartitionSpec`s and texts, here and inside `fn`. With an
            `AbstractMesh` no device is needed.
        debuginfo: whether the text has locations.
        platform: the platform to lower for, such as `cpu`, `cuda`, `rocm` or `tpu`; some library
            functions differ. It need not be present.

    Returns:
        The module, whose sharding groups are numbered from 0 in order of appearance, so
        that the same program always has the same text.

    Raises:
        BridgeError: an argument is not an array; a sharding is malformed, names an axis that
            the mesh lacks, or needs a mesh; `fn` is jitted and shardings are given here
            too; JAX does not know the platform; or Shardy is switched off in JAX.
        ValueError, TypeError, RuntimeError: JAX cannot trace or lower `fn`.
    """
    _check_shardy()
    platform = _known_platform(platform)
    context = contextlib.nullcontext()
    if mesh is not None:
        mesh = abstract_mesh(mesh)
        context = jax.sharding.use_abstract_mesh(mesh)
    with context, text_only(True):
        jitted = _jitted(fn, in_shardings, out_shardings, mesh)
        arguments = _texts("in_shardings", in_shardings, args, mesh)
        traced = jitted.trace(*_abstract_args(args, strict=jitted is not fn))
        text = traced.lower(lowering_platforms=(platform,)).as_text(debug_info=debuginfo)
        results = _texts("out_shardings", out_shardings, traced.out_info, mesh)
    if arguments or results:
        text = _set_shardings(text, arguments, results, debuginfo=debuginfo)
    if mesh is not None:
        # JAX takes into account only the devices of in_shardings and out_shardings.
        text = _PARTITIONS.sub(rf"\g<1>{mesh.size}", text, count=1)
    return _number_groups(text)


def _check_shardy() -> None:
    if not jax.config.jax_use_shardy_partitioner:  # pyright: ignore[reportAttributeAccessIssue]
        raise BridgeError(
            "jax_use_shardy_partitioner is False, so JAX would emit GSPMD shardings; expected"
            ' jax.config.update("jax_use_shardy_partitioner", True)'
        )


def _known_platform(platform: str) -> str:
    """Return the name by which JAX lowers for a platform.

    Raises:
        BridgeError: JAX does not know it, and would lower without a word.
    """
    known = xla_bridge.known_platforms()
    known = sorted(name for name in known if xla_bridge.expand_platform_alias(name) == [name])
    try:
        found = xla_bridge.canonicalize_platform(platform)
    except (RuntimeError, TypeError):  # `gpu` without a GPU; not a string.
        found = None
    if found not in known:
        raise BridgeError(f"platform: expected one of {', '.join(known)}, found {platform!r}")
    return found


def _jitted(fn: Any, in_shardings: Any, out_shardings: Any, mesh: AbstractMesh | None) -> Any:
    if not callable(fn):
        raise BridgeError(f"fn: expected a function, found {type(fn).__name__} {fn!r}")
    given = {"in_shardings": in_shardings, "out_shardings": out_shardings}
    given = {name: value for name, value in given.items() if value is not None}
    if not isinstance(fn, jax.stages.Wrapped):
        given = {name: _for_jit(name, value, mesh) for name, value in given.items()}
        return jax.jit(fn, keep_unused=True, **given)
    if given:
        raise BridgeError(
            f"{' and '.join(given)} given for a function that is jitted already;"
            " pass them to jax.jit, or pass the plain function"
        )
    return fn


def _abstract_args(args: tuple[Any, ...], *, strict: bool) -> tuple[Any, ...]:
    """Return arguments with arrays replaced by their shapes.

    JAX takes no array on a real device together with an abstract mesh.
    """

    def abstract(path: Any, leaf: Any) -> Any:
        if isinstance(leaf, (jax.Array, np.ndarray)):
            return jax.ShapeDtypeStruct(
                leaf.shape,
                leaf.dtype,
                sharding=_device_free(getattr(leaf, "sharding", None)),
                weak_type=getattr(leaf, "weak_type", False),
            )
        if strict and not hasattr(leaf, "dtype") and not isinstance(leaf, (int, float, complex)):
            raise BridgeError(
                f"args{jax.tree_util.keystr(path)}: expected an array, a jax.ShapeDtypeStruct or"
                f" a number, found {type(leaf).__name__} {leaf!r}"
            )
        return leaf

    return jax.tree.map_with_path(abstract, args)


def _device_free(sharding: Any) -> NamedSharding | None:
    if not isinstance(sharding, NamedSharding):
        return None
    return NamedSharding(abstract_mesh(sharding.mesh), sharding.spec)


def _for_jit(what: str, shardings: Any, mesh: AbstractMesh | None) -> Any:
    """Return shardings for `jax.jit`: specs bound to the mesh, None for texts, which are set later."""

    def convert(path: Any, leaf: Any) -> Sharding | None:
        place = f"{what}{jax.tree_util.keystr(path)}"
        if leaf is None or isinstance(leaf, (str, Sharding)):
            return None if isinstance(leaf, str) else leaf
        if isinstance(leaf, P):
            return _named(place, leaf, mesh)
        raise BridgeError(
            f"{place}: expected a PartitionSpec, a Sharding, sdy's text or None,"
            f" found {type(leaf).__name__} {leaf!r}"
        )

    return jax.tree.map_with_path(convert, shardings, is_leaf=lambda leaf: leaf is None)


def _named(place: str, spec: P, mesh: AbstractMesh | None) -> NamedSharding:
    mesh = abstract_mesh(mesh)
    if P.UNCONSTRAINED in spec.partitions:
        raise BridgeError(
            f"{place}: JAX takes no open dimension here, found {spec};"
            f" write it as text: {spec_text(spec, len(spec))!r}"
        )
    try:
        return NamedSharding(mesh, spec)
    except ValueError as error:
        raise BridgeError(f"{place}: {error}") from error


def _texts(what: str, shardings: Any, values: Any, mesh: AbstractMesh | None) -> dict[int, str]:
    """Return the sharding attribute of each value whose sharding is a text.

    The keys are positions from the end (-1 is the last): JAX may put arguments of its own,
    such as tokens of ordered effects, before the others.
    """
    if not any(isinstance(leaf, str) for leaf in jax.tree.leaves(shardings)):
        return {}
    texts = jax.tree.map(
        lambda leaf: leaf if isinstance(leaf, str) else False,
        shardings,
        is_leaf=lambda leaf: leaf is None,
    )
    text_of = jax.tree.leaves(jax.tree.broadcast(texts, values))
    attributes = {}
    for index, (path, value) in enumerate(jax.tree.leaves_with_path(values)):
        if text_of[index] is False:
            continue
        try:
            parsed = parse_sharding(text_of[index], np.shape(value), abstract_mesh(mesh))
        except BridgeError as error:
            raise BridgeError(f"{what}{jax.tree_util.keystr(path)}: {error}") from None
        attributes[index - len(text_of)] = parsed.inlined
    return attributes


def _set_shardings(
    text: str, arguments: dict[int, str], results: dict[int, str], *, debuginfo: bool
) -> str:
    """Return the module with shardings on arguments and results of `@main`, their meshes lifted."""
    with make_context():
        module = ir.Module.parse(text)
        main = next(
            op
            for op in module.body.operations
            if isinstance(op, FuncOp) and op.name.value == "main"
        )
        main.attributes["arg_attrs"] = _merged(main.arg_attrs, arguments)
        main.attributes["res_attrs"] = _merged(ir.ArrayAttr(main.result_attrs), results)
        run_pipeline(module, "sdy-lift-inlined-meshes")
        return str(module.operation.get_asm(enable_debug_info=debuginfo))


def _merged(attributes: ir.ArrayAttr, shardings: dict[int, str]) -> ir.ArrayAttr:
    merged = []
    for index, attribute in enumerate(attributes):
        entries = {entry.name: entry.attr for entry in ir.DictAttr(attribute)}
        sharding = shardings.get(index - len(attributes))
        if sharding is not None:
            entries["sdy.sharding"] = ir.Attribute.parse(sharding)
        merged.append(ir.DictAttr.get(entries))
    return ir.ArrayAttr.get(merged)


_PARTITIONS = re.compile(r"(mhlo\.num_partitions = )\d+")
_GROUP = re.compile(r"(sdy\.sharding_group %\S+ group_id=)(\d+)")


def _number_groups(text: str) -> str:
    """Return the text with groups numbered from 0; JAX numbers those of the whole process."""
    numbers: dict[str, int] = {}
    return _GROUP.sub(
        lambda match: match[1] + str(numbers.setdefault(match[2], len(numbers))), text
    )
