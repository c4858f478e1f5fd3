"""Whole cohorts: distinct texts read once, distinct decision keys audited once, joined back in Arrow (docs/batch.md)."""
