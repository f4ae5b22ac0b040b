"""Programs against jax-tpu-embedding alone: on TPUs, or on CPU devices that simulate chips."""
