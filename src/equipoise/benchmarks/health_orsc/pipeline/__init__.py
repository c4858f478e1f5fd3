"""Builds an over-refusal benchmark for health from a user's own seed files, in seven stages that can be resumed.

The design follows what is public of Health-ORSC-Bench (arXiv 2601.17642): health seeds are selected, categorised,
rewritten into benign questions, voted on by moderators, matched with their seeds, and tiered by how many models refuse.
Every stage keeps its rejects with a coded reason, and every reply of a model stands in a journal that a later start reads.
"""
