"""What the readers of hospital records share: what a record came to, the builder of a case, code tables."""
