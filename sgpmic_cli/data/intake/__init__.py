"""Anybody's table: read from its file, judged column by column, and turned into numbers by a recipe that can be kept.

reading -> raw_table -> learning -> recipe: bytes, cells, a decision for every column, and what is done to new files.
"""
