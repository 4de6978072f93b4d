"""The report: one HTML page with every number, figure and reason."""
