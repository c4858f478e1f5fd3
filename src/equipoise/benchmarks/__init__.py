"""Benchmarks, one folder each, listed in one explicit catalogue."""

from __future__ import annotations

from equipoise.benchmarks.catalogue import BENCHMARKS, Benchmark, find

__all__ = ["BENCHMARKS", "Benchmark", "find"]
