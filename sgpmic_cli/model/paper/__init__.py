"""SGP-MIC as the paper has it: a point for every row in the latent space, and the setting behind its Table 2."""
