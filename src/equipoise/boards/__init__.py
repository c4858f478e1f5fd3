"""Discussions of tumor boards: what was said by whom, what was concluded, and how a simulated board compares."""
