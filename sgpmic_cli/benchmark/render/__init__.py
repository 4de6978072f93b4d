"""Write a compared benchmark as tables and as an HTML page."""
