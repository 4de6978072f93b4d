"""Pictures of one fit."""
