"""PatientSafetyBench: harmful queries of patients in five categories."""
