"""Readers of files of board cases, one a format."""
