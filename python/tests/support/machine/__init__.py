"""Tile programs of agents, written by hand."""
