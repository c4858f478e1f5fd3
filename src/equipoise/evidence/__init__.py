"""What is known, where and since when: dated, sourced assertions, their criteria, coverage, and the base that holds them."""
