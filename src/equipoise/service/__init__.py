"""`equipoise serve`: the audit over HTTP, inside an order entry (CDS Hooks), and as a page; every verdict goes on an append-only trail.

Not a medical device: it compares a documented recommendation with dated sources.
"""
