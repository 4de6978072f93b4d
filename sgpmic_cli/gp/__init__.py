"""Formulas that the models of both wings use."""
