"""What a case is, how it is read, and the vocabularies that give its words one meaning."""
