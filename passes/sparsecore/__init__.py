"""The sparsecore family: passes over tile programs."""
