"""RefusalBench: matched triples of protein-design prompts, benign, borderline and dual-use."""
