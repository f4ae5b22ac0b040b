"""A click model in the manner of DLRM, its embedding tables on simulated SparseCores."""
