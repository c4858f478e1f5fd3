"""Scores and measures of a board that need no model."""
