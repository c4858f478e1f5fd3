"""The page for people: paste a case or a note, read the verdict, switch policy and day."""
