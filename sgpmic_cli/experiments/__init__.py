"""The experiments: what is run, kept, judged against the paper, and written as tables."""
