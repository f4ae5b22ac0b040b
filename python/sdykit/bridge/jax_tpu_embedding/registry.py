"""What is done to which module of jax-tpu-embedding, and of keras-rs, once it has run.

This module imports nothing, as it is read by every process that starts a backend.
"""

from __future__ import annotations

from collections.abc import Mapping

LIBRARY = "jax_tpu_embedding"
"""The package of the library."""

_PRIMITIVES = f"{LIBRARY}.sparsecore.lib.core.primitives."
_HERE = "sdykit.bridge.jax_tpu_embedding."

MODULES: Mapping[str, str] = {
    f"{LIBRARY}.sparsecore.utils.utils": f"{_HERE}counts:register",
    f"{LIBRARY}.sparsecore.lib.core.pybind_input_preprocessing": f"{_HERE}preprocessing:register",
    f"{LIBRARY}.sparsecore.lib.nn.embedding": f"{_HERE}tables:register",
    **{
        f"{_PRIMITIVES}sparse_dense_matmul_{name}": f"{_HERE}{function}"
        for name, function in {
            "csr": "primitives.lookups:register",
            "local": "primitives.lookups:register_local",
            "activation_unstack": "primitives.stacking:register_unstack",
            "gradient_stack": "primitives.stacking:register_stack",
            "grad_with_sgd": "primitives.gradients:register",
            "grad_with_adagrad": "primitives.gradients:register",
            "grad_with_adagrad_momentum": "primitives.gradients:register",
            "grad_with_adam": "primitives.gradients:register",
            "grad_with_ftrl": "primitives.gradients:register",
            "grad_with_laprop": "primitives.gradients:register",
            "grad_with_f2a": "primitives.gradients:register",
            "optimizer_grad": "primitives.custom:register",
        }.items()
    },
    "keras_rs.src.layers.embedding.base_distributed_embedding": f"{_HERE}keras_rs:register",
}
"""Full name of a module of the library, or of one built on it, to `module:function` of ours. The
function gets the module, right after it ran, and registers lowerings of what is in it. A module
that a version lacks is never imported, so that its function is not called either."""
