"""Red-teaming of clinical models: what is changed in an item, and what is found in a reply. Pure; no model is called."""
