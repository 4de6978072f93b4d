"""Constants of the rules for labels, probabilities and the number of clusters, with their reasons.

`docs/tried.md` has the measurements. Tests fail if one of the modelling constants is halved or
doubled.
"""

# Base clusterings
KMEANS_STARTS = 10  # the best of ten k-means++ starts is within 0.1 % of the best of thirty
DEGREES_OF_FREEDOM = 4.0  # of t distributions; Lange, Little and Taylor (JASA, 1989)
LEAST_VARIANCE = 1e-3  # of a cluster in a standardised column; keeps covariances regular
EM_ITERATIONS, EM_TOL = 100, 1e-3  # scikit-learn's defaults for Gaussian mixtures

# Space of discrete columns
CHANCE_PAIR = 0.003  # level of the test of a pair; 0.05 for a column beside seventeen others
QUANTILE = 0.95  # of the singular values of permuted columns; Horn's parallel analysis
PERMUTATIONS = 40  # for this quantile: two permutations exceed it
PERMUTED_ROWS = 2000  # subsample for the permutations; affects the time

# Probabilities
HOTTEST = 20.0  # bound of the search for the temperature
LEAST_JACCARD = 0.01  # weight of a refit that did not find a cluster again

# Spanning tree
CORE_NEIGHBOURS = (3, 5)  # neighbours that set the core distance; one tree for each
LEAST_FRACTION = 0.4  # of an equal share of the rows; smaller parts are outliers
SMALL = 3  # rows; edges to fewer rows lead to outliers and do not count
EDGE_QUANTILE = 0.9  # of the remaining edges, which the cut edges are compared with
SMALL_GAP, LARGE_GAP = 0.2, 0.8  # gaps are clipped to this range before they are compared
MARGIN = 0.2  # of the gap over that of data drawn from the clusters
DRAWS = 4  # of data from the clusters; their mean gap varies by less than half the margin
LOCAL_ROWS = 10  # that have the local covariance, which they cannot have in more columns
ROUNDNESS = 0.05  # added to the variances of a local covariance, as a fraction of their sum

# Invariant coordinate
LEAST_SPREAD = 1e-3  # of a principal component, relative to the first
UNIFORM = 1.8  # kurtosis of a uniform distribution

# Number of clusters
CHOICE_ROWS = 1000  # subsample for the choice; affects the time
PLANE = 2  # principal components that are consulted before "no clusters" is the answer
CHANCE = 5.0  # standard deviations of the silhouette of a single reference
DISCOUNT = 0.5  # of the silhouette of the reference
LEAST_DROP = 0.1  # of the gap, a logarithm
SIMILAR_DROP, SIMILAR_SCORE = 0.3, 0.9  # of the largest, for plausible numbers
REFERENCES = 3  # of each kind
SPLITS = 4  # into random halves, for the stability
STABLE = 0.5  # least agreement of two halves
OUTLIERS = 0.05  # largest fraction of rows that are left out
MOST_SKEWED = 2.0  # the exponential distribution; its density falls from its largest value
