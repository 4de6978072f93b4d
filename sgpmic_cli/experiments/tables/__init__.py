"""Compared results as text: Markdown, LaTeX, CSV and JSON."""
