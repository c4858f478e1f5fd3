"""How new cases are made: a table of supported situations, patients drawn from it, edits that break them, and their
spelling.

plans.py: which regimen for whom, after what; spelling.py: how a record writes things; drafts.py: a patient drawn from a
plan; edits.py: one function an error type; render.py: a draft as JSON. The entry is
`equipoise.benchmarks.openmtb.generate`.
"""
