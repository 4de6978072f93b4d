"""Base class, parameter checks, thread limits and warnings of the estimators."""
