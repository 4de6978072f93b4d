"""The clusters: base clusterings, their consensus, the number of clusters and the probabilities."""

SAMPLE = 1_500  # rows that are compared with each other; limits the time
DRAWS = 3  # of null data; the fewest with a useful standard deviation
MOST_CLUSTERS = 15  # a convention: slices, or parts at gaps, tried if the number is open
