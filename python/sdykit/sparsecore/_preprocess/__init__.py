"""The steps of preprocessing."""
