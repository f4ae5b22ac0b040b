"""From a module with which something fails to the smallest one that still does."""
