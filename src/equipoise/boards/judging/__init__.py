"""Judging of boards: what a judge is shown, by which rubrics, and what became of every reply and every judgement."""
