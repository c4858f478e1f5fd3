"""ToxiGen: machine-written statements about groups, with human scores of how toxic they are."""
