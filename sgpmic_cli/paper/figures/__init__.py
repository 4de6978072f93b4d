"""Draw the paper's eight figures from our runs."""
