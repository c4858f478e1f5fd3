"""Board Simulation: a whole tumor board played to a conclusion, held against what the board concluded."""
