"""Hallucination: a detector of seven specialist judges and rules, held against labelled replies, and what it says of a model's own."""
