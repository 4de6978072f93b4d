"""HTML pages: the report of one fit and the report of Table 2."""
