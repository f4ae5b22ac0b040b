"""The compiled loops of preprocessing."""
