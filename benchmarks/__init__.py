"""Measurements and studies for developers, which the Makefile runs."""
