"""Both audits as Markdown tables."""

from __future__ import annotations

from equipoise.benchmarks.openmtb.audit_reference.leaks import LeakAudit
from equipoise.benchmarks.openmtb.audit_reference.rows import STANDING, ReferenceAudit


def reference_markdown(audit: ReferenceAudit, leaks: LeakAudit | None = None) -> str:
    """Both audits as Markdown tables: counts, findings with their assertions, what the inputs leak; no list of cases.

    Args:
        audit: the audit of the labels.
        leaks: the leak audit; None leaves that part out.
    """
    lines = [
        "# Audit of the published reference labels",
        "",
        f"Policy `{audit.policy}`, evidence as of {audit.as_of.isoformat()} (hash `{audit.evidence_hash}`), "
        f"{len(audit.rows)} cases (hash `{audit.dataset_hash}`).",
        "",
        "| the published label | " + " | ".join(STANDING) + " |",
        "|---|" + "---:|" * len(STANDING),
    ]
    for label, row in audit.standing_by_label().items():
        lines.append(f"| {label} | " + " | ".join(str(row[code]) for code in STANDING) + " |")
    lines.append("| all | " + " | ".join(str(count) for count in audit.standing().values()) + " |")
    lines.append("")
    lines.extend(f"- {code}: {text}." for code, text in STANDING.items())
    lines += ["", "| it does not stand | deciding reason | cases |", "|---|---|---:|"]
    for code, reasons in audit.by_reason().items():
        lines.extend(f"| {code} | `{reason}` | {count} |" for reason, count in reasons.items())
    lines += ["", "| finding | cases of those that could have it | assertion named most often |", "|---|---|---|"]
    for finding in audit.findings().values():
        named = next(iter(finding["assertions"]), "")
        parts = [f"{one['count']} of {one['of']} {label}" for label, one in finding["by_published"].items()]
        lines.append(f"| {finding['title']} | {', '.join(parts)} | {f'`{named}`' if named else ''} |")
    if leaks is not None:
        lines += [
            "",
            "## What the inputs leak",
            "",
            f"{leaks.folds}-fold cross-validation, seeds {', '.join(map(str, leaks.seeds))}. The four rules were "
            "written after seeing the data: a ceiling, not an estimate.",
            "",
            "| predictor | given | target | accuracy | balanced | majority class |",
            "|---|---|---|---:|---:|---:|",
        ]
        lines.extend(
            f"| {one.predictor} | {one.features} | {one.target} | {one.accuracy:.3f} | {one.balanced_accuracy:.3f} "
            f"| {one.majority:.3f} |"
            for one in leaks.scores
        )
        lines += ["", "| feature of the shape alone | label | cases | share |", "|---|---|---:|---:|"]
        lines.extend(f"| {name} | {label} | {count} | {share:.2f} |" for name, label, count, share in leaks.giveaways)
    return "\n".join(lines) + "\n"
