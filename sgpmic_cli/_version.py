"""The version, in a module that imports nothing: everything else may ask for it."""

__version__ = "0.4.0"
