"""MedSafetyBench: harmful medical requests by principle of medical ethics."""
