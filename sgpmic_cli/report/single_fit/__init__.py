"""The page that a fit leaves: one file for each of its sections."""
