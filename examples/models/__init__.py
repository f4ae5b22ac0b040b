"""Small JAX programs with shardings, to lower, to import and to measure on."""
