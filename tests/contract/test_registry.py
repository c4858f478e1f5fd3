"""Inspect's entry point loads, and loads without what a task does not need; without Inspect the rest goes on."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points

from equipoise.benchmarks import BENCHMARKS

PATH = f"import sys; sys.path[:0] = {sys.path!r}\n"


def run(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-I", "-c", PATH + script], capture_output=True, text=True)


def test_the_entry_point_names_the_registry():
    found = [item for item in entry_points(group="inspect_ai") if item.name == "equipoise"]
    assert [item.value for item in found] == ["equipoise.benchmarks._registry"]
    registry = found[0].load()
    assert {"EquipoiseModels", "MockJudges", *(item.id for item in BENCHMARKS)} <= set(registry.__all__)


def test_the_registry_loads_without_the_other_extras():
    missing = ("bm25s", "openai", "huggingface_hub", "scipy", "statsmodels", "krippendorff", "fastapi")
    script = "".join(f"sys.modules[{name!r}] = None\n" for name in missing)
    done = run(f"{script}import equipoise.benchmarks._registry as registry; print(registry.openmtb.__name__)")
    assert done.stdout.strip() == "openmtb", done.stderr


def test_without_inspect_asking_says_what_to_install_and_reports_still_work(tmp_path):
    script = "sys.modules['inspect_ai'] = None\nimport equipoise.cli.main as main\n"
    asked = run(f"{script}sys.argv = ['equipoise', 'eval', 'openmtb', '--model', 'openai/x']; main.run()")
    assert (asked.returncode, "equipoise[eval]" in asked.stderr) == (2, True)
    assert len(asked.stderr.strip().splitlines()) == 1
    folder = str(tmp_path / "run")
    assert (
        run(f"{script}sys.argv = ['equipoise', 'bench', 'run', 'openmtb', '--out', {folder!r}]; main.run()").returncode
        == 0
    )
    page = str(tmp_path / "page.html")
    told = run(f"{script}sys.argv = ['equipoise', 'report', {folder!r}, '-o', {page!r}]; main.run()")
    assert told.returncode == 0, told.stderr


def test_what_others_have_recorded_is_read_without_inspect(tmp_path):
    from prompts_data import DATA

    script = "sys.modules['inspect_ai'] = None\nimport equipoise.cli.main as main\n"
    for place, name in ((DATA / "iatrobench" / "released", "iatrobench"), (DATA / "refusalbench", "refusalbench")):
        out = str(tmp_path / name)
        arguments = ["equipoise", "outcomes", "from-released", name, str(place), "--out", out]
        done = run(f"{script}sys.argv = {arguments!r}; main.run()")
        assert done.returncode == 0, done.stderr
    assert run(f"{script}import equipoise.studies.from_run, equipoise.benchmarks.prompts.garak").returncode == 0
