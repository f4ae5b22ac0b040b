"""Kernels for SparseCores in Pallas, to copy from: each file is one, and checks itself against numpy."""
