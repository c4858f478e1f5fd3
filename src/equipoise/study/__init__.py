"""Blinded expert labelling: protocol, store, assignment, adjudication, agreement."""
