"""Verdicts and cases in the forms of others: FHIR, the issue list of DNPM, CSV, Parquet. One writer a format."""
