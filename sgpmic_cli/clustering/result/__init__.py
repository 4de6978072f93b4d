"""Fit one model to one table, assign new rows, and write the tables of both."""
