"""Aggregate the runs of each cell and compare them with printed numbers and with each other."""
