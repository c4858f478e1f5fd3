"""Verdicts and cases as FHIR R4 bundles, and the rules that every written bundle keeps."""
