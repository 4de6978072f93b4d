"""Options that several commands share, and how messages name them."""
