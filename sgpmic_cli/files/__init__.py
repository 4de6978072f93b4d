"""Files: atomic writes, strict reads, arrays in files and a cache of arrays."""
