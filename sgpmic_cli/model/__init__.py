"""SGP-MIC: kernels, the weighted sparse GP, its bound, the EM schedule, and models on disk."""
