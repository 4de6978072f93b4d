"""UNCA: labels (`graph`) and projections (`projection`) in alternation."""
