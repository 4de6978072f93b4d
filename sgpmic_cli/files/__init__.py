"""Files written whole or not at all, read strictly; arrays kept on disk."""
