"""BOLD: beginnings of encyclopedia sentences by domain and group."""
