"""What the readers of chips, flags and settings share."""
