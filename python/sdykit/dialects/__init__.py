"""Python classes of the dialects, generated from `dialects/*/*.td`.

    from sdykit.dialects import sdy

The op and enum classes are `mlir-tblgen`'s; attributes and types are immutable views with
fields. Nothing here is registered with jaxlib, so that it lives beside `jax` and
`jaxlib.mlir.dialects` in one process.

A dialect is a folder. Its `ops_gen` and `enums_gen` are `mlir-tblgen`'s; of each `.td` file with
attributes or types, `mesh_attrs.td` for example, the generator in `tools/` makes a module of views,
`mesh_attrs_gen`. Written by hand are `formats`, the `custom<...>` directives of the assembly
formats, and `*methods`, the methods of views beyond their fields.

`base` is the base class of all views (read it first), `text` the parser and printer that they are
made of, `ods_common` what `mlir-tblgen`'s modules import, and `views` makes a typed view of an
operation.
"""
