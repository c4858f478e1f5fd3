"""The version of this package, which stands in every result."""

__version__ = "0.1.0"
