"""What the commands share: options, completion, progress, and tables for the terminal."""
