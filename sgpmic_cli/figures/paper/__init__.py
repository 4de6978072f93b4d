"""The paper's eight figures, drawn from our runs."""
