"""Passes over the `mpmd` dialect: from fragments and transfers to calls of functions.

Start with `pipeline`, which says in which order the passes run, and why. A pass of several
modules is a package: its class is in `__init__.py`. `_shared` holds what several passes use.
"""
