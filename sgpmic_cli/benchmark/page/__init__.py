"""The page about a benchmark."""
