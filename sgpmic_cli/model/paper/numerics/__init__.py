"""Factorisations, products and optimizers of the paper's model."""
