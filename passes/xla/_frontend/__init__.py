"""Shared by the passes: `names` that XLA uses, and `attributes` that hold those of sdy as text."""
