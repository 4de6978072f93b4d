"""Constants of the rules for labels, probabilities and the number of clusters, with their sources.

"Measured" refers to a table in `docs/tried.md`.
"""

# Columns
FEW_VALUES = 10.0  # convention: a column with fewer effective values is discrete
EQUAL = 1e-6  # rounding: values that differ by less, in standard deviations, are equal
COPY = 0.99  # convention: near copies share 98 % of the variance
IMPUTATION_STEPS = 15  # measured: 8 and 30 steps of EM have the same error
COVARIANCE_RIDGE = (
    0.4  # measured: times columns over rows and the mean variance, added to the diagonal
)

# Base clusterings
KMEANS_STARTS = 10  # measured: the best of ten is within 0.1 % of the best of thirty
DEGREES_OF_FREEDOM = 4.0  # measured: 2 to 5 are alike; robust (Lange et al., JASA, 1989)
LEAST_VARIANCE = 1e-3  # measured: 0.001 to 0.01 are alike; of a cluster in a standardised column
EM_ITERATIONS, EM_TOL = 100, 1e-3  # scikit-learn's defaults for Gaussian mixtures

# Space of discrete columns
CHANCE_PAIR = 0.003  # measured: level of the test of a pair; 0.05 for one beside seventeen others
QUANTILE = 0.95  # convention: the level of parallel analysis is 5 %
PERMUTATIONS = 40  # two of them exceed this quantile

# Probabilities
HOTTEST = 20.0  # convention: bound of the search for the temperature
LEAST_JACCARD = 0.01  # convention: weight of a refit that did not find a cluster again
ROUNDING_ERROR = 1e-9  # rounding: difference of distances or probabilities

# Spanning tree
CORE_NEIGHBOURS = (3, 5)  # measured: set the core distance; one tree for each
LEAST_FRACTION = 0.4  # measured: of an equal share of the rows; smaller parts are outliers
SMALL_BRANCH = 3  # measured: edges to fewer rows lead to outliers and do not count
EDGE_QUANTILE = 0.9  # measured: of the remaining edges, which the cut edges are compared with
SMALL_GAP, LARGE_GAP = 0.2, 0.8  # measured: gaps are clipped to this range before comparison
MARGIN = 0.2  # measured: of the gap over that of data drawn from the clusters
DRAWS = 4  # measured: the mean gap of four draws varies by less than half the margin
LOCAL_ROWS = 10  # convention: rows of the local covariance, which they cannot have in more columns
ROUNDNESS = 0.05  # measured: added to the variances of a local covariance, times their sum

# Invariant coordinate
LEAST_SPREAD = 1e-3  # rounding: of a principal component, relative to the first
UNIFORM = 1.8  # kurtosis of a uniform distribution

# Number of clusters
MOST_CLUSTERS = 15  # convention: tried by n_clusters="auto"
PLANE = 2  # the dimensions of a map: principal components consulted before "no clusters"
CHANCE = 5.0  # convention: standard deviations of the silhouette of a single reference
DISCOUNT = 0.5  # convention: of the silhouette of the reference
LEAST_DROP = 0.1  # measured: of the gap, a logarithm
SIMILAR_DROP, SIMILAR_SCORE = 0.3, 0.9  # measured, convention: of the largest, to be plausible
REFERENCES = 3  # of each kind; the fewest with a useful standard deviation
SPLITS = 4  # convention: into random halves, for the stability
STABLE = 0.5  # measured: least agreement of two halves
OUTLIERS = 0.05  # convention: largest fraction of rows that are left out
MOST_SKEWED = 2.0  # the exponential distribution; its density falls from its largest value

# Time and memory only
CHOICE_ROWS = 1000  # subsample for the number of clusters
PERMUTED_ROWS = 2000  # subsample for the permutations
IMPUTED_ROWS = 4096  # rows that are imputed at a time
NEIGHBOURS = 16  # of the graph that holds most edges of the tree
EDGES = 100_000  # measured at a time
MOST_PARTS = 20  # of the graph; more parts are joined by more neighbours instead
