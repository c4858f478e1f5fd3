"""Stress tests of clinical models: what is done to an item, and how replies are held against what was expected."""
