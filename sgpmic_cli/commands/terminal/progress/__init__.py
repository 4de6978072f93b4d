"""What a long command says while it works."""
