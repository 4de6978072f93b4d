"""The default model: clusters, map, new rows and model files."""
