"""Passes, one a file: `<family>/<name>.py`. See `sdykit.core.registry` for the naming."""
