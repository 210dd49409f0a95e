"""Experiments: a file of what to vary, cut into cells and chunks that survive whatever stops the run."""
