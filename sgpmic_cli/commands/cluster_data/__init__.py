"""The commands for data of one's own."""
