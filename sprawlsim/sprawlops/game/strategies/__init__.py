"""Strategies: what a player wants, as data, and the compiled chooser that reads it."""
