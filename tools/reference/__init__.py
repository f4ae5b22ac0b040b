"""Writes the pages in `docs/reference` that are made from docstrings, and the page on errors.

`passes` writes the page of the passes, `api` that of the Python API; `SECTIONS` in it lists the public
modules; `errors` writes that of the errors.
"""
