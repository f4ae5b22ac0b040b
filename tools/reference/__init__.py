"""Writing the pages in `docs/reference` that are made of docstrings."""
