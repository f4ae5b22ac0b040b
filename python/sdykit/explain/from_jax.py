"""Explains the propagation of a JAX function, on a machine without its devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdykit.explain.model import Explanation
from sdykit.explain.run import To, explain_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def explain(
    fn: Callable[..., Any],
    *args: Any,
    in_shardings: Any = None,
    out_shardings: Any = None,
    mesh: Any = None,
    to: To = "propagation",
    bandwidth: Mapping[str, float] | None = None,
    compiled: bool = False,
    conservative: bool = False,
) -> Explanation:
    """Return what the propagation of a JAX function does: it is lowered, and nothing runs.

    Args:
        fn: a function of arrays, or one that `jax.jit` has wrapped.
        *args: arrays, `jax.ShapeDtypeStruct`s, Python numbers, or trees of them.
        in_shardings: for each argument a `PartitionSpec`, a `NamedSharding`, sdy's text or None, as
            `sdykit.bridge.from_jax.lower` takes them.
        out_shardings: the same for the results.
        mesh: the mesh of the `PartitionSpec`s, here and inside `fn`; an `AbstractMesh` needs no device.
        to: `collectives` to find what the partitioned program communicates, too.
        bandwidth: for times of collectives: bytes a second that a device receives along each mesh axis.
        compiled: whether the collectives of XLA's own program, compiled for CPU devices, are found, too.
        conservative: whether no axis is split, as with `conservative-propagation`.

    Raises:
        BridgeError: an argument or sharding is not understood.
        SdykitError: `bandwidth` is not positive, or of no axis; or XLA cannot compile the program;
            or `compiled` is asked for beside `conservative`, which XLA is not.
        ValueError, TypeError, RuntimeError: JAX cannot trace or lower `fn`.
    """
    from sdykit.bridge.from_jax import lower

    text = lower(
        fn,
        *args,
        in_shardings=in_shardings,
        out_shardings=out_shardings,
        mesh=mesh,
        debuginfo=True,
    )
    name = getattr(fn, "__name__", None) or type(fn).__name__
    return explain_text(
        text, name, to=to, bandwidth=bandwidth, compiled=compiled, conservative=conservative
    )
