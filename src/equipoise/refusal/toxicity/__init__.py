"""Toxicity of continuations by a classifier that the user supplies: scores as judgements of a run, never a label.

This package holds no classifier and judges no text. A score is a number from 0 to 1 in the classifier's own sense; what
could not be scored is a state of its own and never 0.
"""
