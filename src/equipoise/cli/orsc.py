"""`equipoise orsc`: build an over-refusal benchmark for health from seed files, and have people check its categories."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.common import print_json, say, visible, write_text

if TYPE_CHECKING:
    from equipoise.benchmarks.health_orsc.pipeline.config import Loaded
    from equipoise.benchmarks.health_orsc.pipeline.ratings import Agreement
    from equipoise.benchmarks.health_orsc.pipeline.runner import Summary

app = typer.Typer(help="Build an over-refusal benchmark for health from your own seed files.", no_args_is_help=True)
sheet = typer.Typer(help="Have people check the categories of the seeds.", no_args_is_help=True)
app.add_typer(sheet, name="sheet")

PAGE = "report.html"


@app.command("run")
def run(
    config: Annotated[Path, typer.Argument(help="Configuration, a YAML file.")],
    out: Annotated[Path, typer.Option(help="Folder of the pipeline; an earlier start in it is gone on with.")],
    stage: Annotated[
        str | None,
        typer.Option(help="Run one stage again: select, categorise, rewrite, moderate, seeds, difficulty or export."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what it would need at most; ask nobody.")] = False,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="US dollars for this start; needs the prices of every model.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
) -> None:
    """Run the stages that are not done; the same command goes on with a run that was cut short."""
    from equipoise.benchmarks.health_orsc.pipeline.config import load_config
    from equipoise.benchmarks.health_orsc.pipeline.runner import run_pipeline

    loaded = load_config(config)
    if dry_run:
        _show_estimate(loaded, max_cost, as_json=as_json)
        return
    summary = run_pipeline(
        loaded, out, only=stage, max_cost=max_cost, tell=(lambda line: None) if as_json else say
    )  # fmt: skip
    page = None
    if "export" in summary.records:
        page = out / summary_folder("export") / PAGE
        write_text(page, flow_page(loaded.config.name, summary.records))
    if as_json:
        print_json(
            {
                "stages": {name: record["counts"] for name, record in summary.records.items()},
                "ran": list(summary.ran),
                "calls": summary.asked,
                "cost": round(summary.spent, 6),
                "models": summary.models,
            }
        )
        return
    _show(summary)
    for place, path in (("Folder", out), ("Report", page)):
        if path is not None:
            say(f"{place}: {path}")


@sheet.command("export")
def sheet_export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the pipeline, with stage categorise done.")],
    out: Annotated[Path, typer.Option(help="Folder for the sheets, outside the pipeline's.")],
    raters: Annotated[int, typer.Option(min=2, help="Number of raters.")] = 3,
    per_category: Annotated[int | None, typer.Option(min=1, help="Seeds drawn from each category.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the sample and the orders.")] = 42,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the key of an earlier export.")] = False,
) -> None:
    """Write a blinded sheet for each rater, in an order of their own, and the instructions."""
    from equipoise.benchmarks.health_orsc.pipeline.sheets import export_sheets

    written = export_sheets(
        folder, out, raters=raters, seed=seed, per_category=per_category, overwrite=overwrite
    )  # fmt: skip
    for path in written:
        typer.echo(visible(str(path)))


@sheet.command("import")
def sheet_import(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the pipeline.")],
    sheets: Annotated[list[Path], typer.Argument(metavar="SHEET...", help="The filled sheets, one a rater.")],
    least: Annotated[float, typer.Option(min=-1, max=1, help="Kappa below which a category is called weak.")] = 0.6,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the intervals.")] = 42,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
) -> None:
    """Read the filled sheets: agreement, disagreements, weak categories; the next run takes the labels over."""
    from equipoise.benchmarks.health_orsc.pipeline.ratings import import_sheets

    found = import_sheets(folder, sheets, least=least, seed=seed)
    if as_json:
        print_json(found.to_dict())
        return
    _show_agreement(found)
    say(f"Labels, disagreements and agreement: {folder / 'human'}")
    say("The next run takes the labels over, from stage categorise on.")


def flow_page(name: str, records: Mapping[str, Mapping[str, Any]]) -> str:
    """The page of the flow, in the style of the reports.

    Args:
        name: name of the set.
        records: records of the stages that have run.
    """
    from importlib import resources

    from equipoise.benchmarks.health_orsc.pipeline.flow import LIMITS, flow_rows, sections
    from equipoise.ids import content_hash
    from equipoise.report.render import TEMPLATES, environment

    package = resources.files("equipoise.benchmarks.health_orsc.pipeline")
    source = package.joinpath("flow.html.j2").read_text(encoding="utf-8")
    engine = environment()
    rows = flow_rows(records)
    first, last = rows[0], rows[-1]
    css = engine.filters["safe_html"]((TEMPLATES / "report.css").read_text(encoding="utf-8"))
    return engine.from_string(source).render(
        css=css,
        title=f"How the set {name} was built",
        report_id=content_hash([name, rows]),
        name=name,
        sentence=f"{first['in']} {first['unit']} became {last['kept']} questions that moderators call not harmful.",
        flow=rows,
        sections=list(sections(records)),
        limits=LIMITS,
    )


def summary_folder(stage: str) -> str:
    """Name of the folder of a stage."""
    from equipoise.benchmarks.health_orsc.pipeline.stages.catalogue import FOLDERS

    return FOLDERS[stage]


def _show(summary: Summary) -> None:
    from equipoise.benchmarks.health_orsc.pipeline.flow import flow_rows

    typer.echo(f"{'stage':<14}{'in':>8}{'kept':>8}{'rejected':>10}  reasons")
    for row in flow_rows(summary.records):
        reasons = ", ".join(f"{name.replace('_', ' ')} {number}" for name, number in row["reasons"].items())
        name = f"{row['number']} {row['stage']}"
        typer.echo(visible(f"{name:<14}{row['in']:>8}{row['kept']:>8}{row['rejected']:>10}  {reasons or '-'}"))
    spent = f", {summary.spent:.4f} US dollars" if summary.spent else ""
    say(
        f"{summary.asked} calls made{spent}; everything else was done before" if summary.asked else "No call was needed"
    )
    if summary.unreadable:
        say(f"equipoise: {summary.unreadable} lines of the journal could not be read; their calls were asked again")


def _show_estimate(loaded: Loaded, max_cost: float | None, *, as_json: bool) -> None:
    from equipoise.benchmarks.health_orsc.pipeline.calls import require_prices
    from equipoise.benchmarks.health_orsc.pipeline.runner import estimate_pipeline

    require_prices(loaded.config.models, max_cost)
    rows, needed = estimate_pipeline(loaded)
    costs = [one.cost for one in needed if one.cost is not None]
    total = sum(costs) if len(costs) == len(needed) else None
    if as_json:
        print_json(
            {
                "rows": rows,
                "calls_at_most": sum(one.calls for one in needed),
                "cost_at_most": None if total is None else round(total, 4),
                "stages": [
                    {
                        "stage": one.stage,
                        "model": one.model,
                        "calls": one.calls,
                        "tokens_in": one.tokens_in,
                        "tokens_out_at_most": one.tokens_out,
                        "cost_at_most": None if one.cost is None else round(one.cost, 4),
                        "prompts": list(one.prompts),
                    }
                    for one in needed
                ],
            }
        )
        return
    typer.echo(f"{rows} rows of seed files; at most, if every row went through:")
    typer.echo(f"{'stage':<12}{'model':<24}{'calls':>8}{'tokens in':>12}{'tokens out':>12}  cost")
    for one in needed:
        cost = "not known" if one.cost is None else f"{one.cost:.4f}"
        line = f"{one.stage:<12}{one.model:<24}{one.calls:>8}{one.tokens_in:>12}{one.tokens_out:>12}  {cost}"
        typer.echo(visible(line))
    typer.echo(f"cost at most: {'not known' if total is None else f'{total:.4f} US dollars'}")
    if total is not None and max_cost is not None and total > max_cost:
        say("equipoise: at most more than --max-cost allows; the run would end early if replies are long")


def _show_agreement(found: Agreement) -> None:
    from equipoise.benchmarks.health_orsc.pipeline.flow import estimate, rate

    typer.echo(f"{found.items} texts, {len(found.raters)} raters: {visible(', '.join(found.raters))}")
    typer.echo(f"Fleiss' kappa: {estimate(found.kappa.to_dict())}")
    typer.echo(f"majority is the proposed category: {rate(found.proposed.to_dict())}")
    typer.echo(f"{found.disagreements} texts with different labels")
    for name, one in found.by_category.items():
        typer.echo(f"  {name:<28}{found.standing[name].value:<18}{estimate(one.to_dict())}")
    for name, number in found.blanks.items():
        if number:
            say(f"equipoise: {name} left {number} cells empty")
    weak = [name for name, one in found.standing.items() if one.value == "below"]
    if weak:
        say(f"equipoise: agreement is below {found.least:g} on {', '.join(weak)}")
