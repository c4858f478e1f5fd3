"""From one's own recordings to board cases: the stages that need no model."""
