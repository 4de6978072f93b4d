"""Small dense networks in NumPy, in double precision by default."""
