"""The map: one sparse Gaussian process over a latent space, shared by all clusters."""
