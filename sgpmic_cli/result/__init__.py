"""What the page of a fit shows: rules, cards, the map and other cuts of the clusters."""
