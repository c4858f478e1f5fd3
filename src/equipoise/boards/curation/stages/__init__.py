"""The stages of the curation, one a file, in the order of `catalogue.STAGES`."""
