"""cBioPortal studies: clinical tables, mutations, structural variants, copy number, timelines."""
