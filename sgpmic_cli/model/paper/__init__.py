"""SGP-MIC as the paper has it: a point for every row in the latent space, ISOMAP and fuzzy c-means to begin with."""
