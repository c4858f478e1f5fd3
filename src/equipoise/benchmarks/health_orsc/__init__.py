"""Health-ORSC-Bench: benign health prompts that sound harmful, with the harmful seeds they were written from."""
