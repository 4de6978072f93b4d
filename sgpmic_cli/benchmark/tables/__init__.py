"""Write results as Markdown, LaTeX, CSV and JSON."""
