"""Over-refusal and harmful compliance: how far a reply refuses, and the measures that are made of it."""
