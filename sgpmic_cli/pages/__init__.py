"""Markup, style and scripts of the HTML pages."""
