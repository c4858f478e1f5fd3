"""Records of the German networks for molecular tumor boards: DNPM (mtb-model 2.x) and the older bwHC file."""
