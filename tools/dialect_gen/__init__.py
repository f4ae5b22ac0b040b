"""Generates `sdykit.dialects` and the dialect reference from ODS.

`attributes` writes the modules of views (read it first), with `attribute_parser` and
`attribute_printer` for the methods that `assembly_format` describes, and `fields` for the Python
form of C++ types. `records` reads what TableGen knows of attributes and types, `llvm` runs
TableGen, and `reference` writes the pages.
"""
