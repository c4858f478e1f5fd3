"""Health-ORSC-Bench: benign health questions rewritten from toxic seeds, by category and difficulty."""
