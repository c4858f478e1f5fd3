"""Stress tests of clinical models: what is done to an item, and what is found in a reply. Pure; no model is called."""
