"""Passes over the `sdy` dialect."""
