"""Who may call: keys, roles, and the cookie of a signed-in browser."""
