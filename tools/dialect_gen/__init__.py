"""The generator of `sdykit.dialects` and of the dialect reference, from ODS."""
