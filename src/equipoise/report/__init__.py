"""Reports: documented contexts, inline figures, templates, and the linter that reads the finished page.

    from equipoise.report.render import render_verdicts
    from equipoise.report.benchmark import benchmark_page

Everything above this package may use it; it uses the audit's sentences and the statistics, and reads no clock.
"""
