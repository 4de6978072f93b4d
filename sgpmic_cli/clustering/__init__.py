"""Cluster a user's table: the model, its result, the page and the plots."""
