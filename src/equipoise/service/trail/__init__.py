"""The audit trail: entries in a hash chain, what was audited beside them, and who may take it away."""
