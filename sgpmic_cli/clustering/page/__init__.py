"""The page about one fit."""
