"""How fast one evaluation of the bound is: beside GPy's, beside its matrix products alone, and against N."""
