"""Answers under missing information: a named fact removed, half a turn cut, and whether the reply notices."""
