"""Vocabularies: drugs, biomarkers, histology, stage, setting, performance status. YAML data and the normalisers that read it."""
