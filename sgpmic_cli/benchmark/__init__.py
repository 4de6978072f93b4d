"""Benchmarks of clusterers: plan, run, compare with printed numbers, render; and a gate for CI."""
