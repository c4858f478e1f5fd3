"""What the benchmarks of single prompts share: the form of an item and where its file comes from."""
