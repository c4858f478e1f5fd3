"""Writers of mutants: templates and rules, seeded; they share no code with the checks."""
