"""OpenSafeIntent: one task in a benign, a dual-use and a malicious version."""
