"""What passes find in a tile program; `entry` first: the entry function, its phases, its SPMEM."""
