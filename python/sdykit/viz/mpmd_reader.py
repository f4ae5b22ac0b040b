"""The former name of `sdykit.viz.mpmd_view`, for `read_programs`."""

from sdykit.viz.mpmd_view import read_programs

__all__ = ["read_programs"]
