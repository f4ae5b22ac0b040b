"""Holds no pass."""
