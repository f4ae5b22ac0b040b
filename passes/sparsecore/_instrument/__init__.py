"""Code that passes add to a tile program: ops, numbers to compute with, and reports."""
