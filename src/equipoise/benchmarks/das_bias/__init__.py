"""Bias: clinical questions asked again with another identity, language, emotion or pull; changed is told from changed for the worse."""
