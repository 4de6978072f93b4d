"""SGP-MIC with a distribution over the latent space, for people's data; `paper/` holds the paper's own setting."""
