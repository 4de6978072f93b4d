"""Figures: of the paper, of a comparison of methods, and of one fit."""
