"""What identifies a person in a text, and what may stand in its place."""
