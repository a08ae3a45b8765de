"""Golden numbers from PyTorch and JAX, and the recipes that make their inputs."""
