"""The default estimator; `paper/` has the estimator of the paper."""
