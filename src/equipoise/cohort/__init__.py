"""Whole cohorts: for every patient and sample, which systemic options the evidence on file decides, and what would decide the others."""
