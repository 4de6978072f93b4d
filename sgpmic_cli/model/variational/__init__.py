"""The default model: a distribution for every latent point, its bound, its rounds, and where new rows go."""
