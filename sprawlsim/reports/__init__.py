"""Frames in; tables, pictures and pages out. Nothing here knows of any one game."""
