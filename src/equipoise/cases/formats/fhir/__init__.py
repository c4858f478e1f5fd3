"""FHIR R4 in, cases out: by code, not by profile, and tolerant of what real feeds hold."""
