"""The command line: one file a command group. Commands parse, call and print; nothing else."""
