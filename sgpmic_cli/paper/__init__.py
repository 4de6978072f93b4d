"""The SGP-MIC paper: its model, the methods beside it, its tables and figures."""
