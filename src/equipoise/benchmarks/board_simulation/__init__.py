"""Board Simulation: a whole tumor board played by one model or by one model a role, and judged by its conclusion."""
