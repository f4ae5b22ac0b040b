"""A language model in pipeline stages, trained on simulated devices: start with `train`."""
