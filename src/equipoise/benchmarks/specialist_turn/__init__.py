"""Specialist Turn: a clinical question answered in a specialist's place, held against what the specialist said."""
