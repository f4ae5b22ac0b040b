"""The functions that change modules of jax-tpu-embedding and keras-rs once these are imported.

This module imports nothing else of sdykit, since every process that starts a backend reads it.
"""

from __future__ import annotations

from collections.abc import Mapping

LIBRARY = "jax_tpu_embedding"
"""The name of the library's package."""

_PRIMITIVES = f"{LIBRARY}.sparsecore.lib.core.primitives."
_HERE = "sdykit.bridge.jax_tpu_embedding."

MODULES: Mapping[str, str] = {
    f"{LIBRARY}.sparsecore.utils.utils": f"{_HERE}counts:register",
    f"{LIBRARY}.sparsecore.lib.core.pybind_input_preprocessing": f"{_HERE}preprocessing:register",
    f"{LIBRARY}.sparsecore.lib.nn.embedding": f"{_HERE}tables:register",
    f"{LIBRARY}.sparsecore.lib.nn.table_stacking": f"{_HERE}tables:register_stacking",
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
"""`module:function` of ours, by the full name of a module of the library or of one built on it. The
function is called with the module right after its code has run, and changes what is in it. A module
that a version of the library lacks is never imported, so that its function is not called."""
