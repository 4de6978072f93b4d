"""What the page of a fit shows: rules, cards and the map."""
