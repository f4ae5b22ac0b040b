"""The native module: C++ against the XLA FFI headers of jaxlib."""

def xla_ffi_api_version() -> tuple[int, int]:
    """Version (major, minor) of the XLA FFI API that this module was compiled against."""
