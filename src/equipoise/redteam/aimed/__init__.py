"""Attacks on a conversation that aim at one criterion of its rubric: a met positive one, or an unmet negative one."""
