"""Post-conditions of mutants: they read parent and mutant only, and share no code with the writers."""
