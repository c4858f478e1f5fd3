"""Reads clinical language: notes, letters, lists and shorthand into a `Case`, every value with the place where it stands."""
