"""What every estimator here stands on: `fit`, checks of parameters, one thread where that is faster."""
