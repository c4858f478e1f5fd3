"""MedFailBench: clinical scenarios with eleven failure gates; only from the user's own copy."""
