"""One model on one table: fit it, place new rows, and the tables that both leave."""
