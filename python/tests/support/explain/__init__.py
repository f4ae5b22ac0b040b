"""Programs to explain."""
