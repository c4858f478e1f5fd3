"""Judges of replies: versioned rubrics, language models as judges, panels of them, and how they err against people.

What needs Inspect (extra `eval`) is imported by the modules that call a model; rubrics, reading, panels and calibration
need nothing of it. A judge that fails is a state of its own and never a value.
"""
