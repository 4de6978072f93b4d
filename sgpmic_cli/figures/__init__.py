"""Draw the paper's figures, a comparison of methods, and the figures of one fit."""
