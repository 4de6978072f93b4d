"""The paper's model: points in a latent space and the KL-corrected bound."""
