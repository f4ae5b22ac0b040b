"""Shardings of arrays in JAX programs that only sdy can express; `sharding_api` offers them.

`text` parses them and binds them to a mesh; `primitives` puts them into the program: read `text`
first.
"""
