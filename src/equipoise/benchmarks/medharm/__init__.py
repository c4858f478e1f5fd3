"""MedHarm: high-risk medical queries; only from the researcher's own file."""
