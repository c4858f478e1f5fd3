"""OR-Bench: benign prompts that look toxic, and toxic ones, in ten categories."""
