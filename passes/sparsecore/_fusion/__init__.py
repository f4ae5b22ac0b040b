"""The loops of a tile program that fusions join, and the memory accesses in them."""
