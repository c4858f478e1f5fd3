"""Order of options, and the published follow-ups: none of these, no context, no right option."""
