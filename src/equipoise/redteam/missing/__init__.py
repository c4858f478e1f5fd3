"""Missing information: whether a reply notices that something is missing, and what that comes to over a stress test."""
