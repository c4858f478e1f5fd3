"""HealthBench: health conversations with rubrics written by physicians, and the published score."""
