"""Tables printed for people."""
