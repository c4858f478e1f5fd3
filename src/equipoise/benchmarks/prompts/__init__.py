"""What the benchmarks of single prompts share: items, files and where they come from, task, rows, readers of others' logs."""
