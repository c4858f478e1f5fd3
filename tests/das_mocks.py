"""A model that answers a stress task by a rule of the test, through Inspect's own mock: the rule sees system and user messages."""

from __future__ import annotations

from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from equipoise.evals.logs import convert


def answering(rule):
    """Mock model whose reply is what the rule makes of (system text, list of user texts); a ModelOutput is given as it is."""

    def output(input, tools, tool_choice, config):
        system = "\n".join(message.text for message in input if message.role == "system")
        said = rule(system, [message.text for message in input if message.role == "user"])
        made = said if isinstance(said, ModelOutput) else ModelOutput.from_content("mockllm/model", said)
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return made

    return get_model("mockllm/model", custom_outputs=output)


def run(task, rule, tmp_path):
    """Log and tables of a task answered by a rule."""
    logs = inspect_eval(task, model=answering(rule), log_dir=str(tmp_path), display="none", fail_on_error=False)
    return logs[0], convert(logs)


def plan_of_log(converted):
    """The plan that the run keeps."""
    from equipoise.redteam.plan import Plan

    return Plan.from_dict(converted.info.arguments["logs"][0]["plan"])
