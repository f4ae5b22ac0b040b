"""Small JAX programs with shardings, for tests, reports and benchmarks."""
