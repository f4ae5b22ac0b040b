"""The passes, one a file: `<family>/<name>.py`, or `<family>/<name>/__init__.py` if it has parts.

The families are `sdy`, `mpmd`, `xla` (shardings as text in HLO), `async_hlo` (asynchronous chains)
and `sparsecore` (tile programs). See `sdykit.core.registry` for the naming.
"""
