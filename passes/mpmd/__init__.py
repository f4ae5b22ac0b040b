"""Passes over the `mpmd` dialect."""
