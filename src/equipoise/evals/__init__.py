"""What a language model needs to answer a benchmark through Inspect: prompts, retrieval, reply states, models, logs.

Only this package and `benchmarks` import inspect_ai (extra `eval`). Nothing here knows a single benchmark.
"""
