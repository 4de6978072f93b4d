"""Run the experiments of the paper: plan, run, compare with the paper, write tables."""
