"""Python classes of the dialects, generated from `dialects/*/*.td`.

    from sdykit.dialects import sdy

The op and enum classes are `mlir-tblgen`'s; attributes and types are immutable views with
fields. Nothing here is registered with jaxlib, so that it lives beside `jax` and
`jaxlib.mlir.dialects` in one process.
"""
