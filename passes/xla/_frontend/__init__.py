"""What the passes share: `names` of attributes and custom calls, and `attributes` kept as text."""
