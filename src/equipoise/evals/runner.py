"""Starts a task through Inspect with defaults for long runs: every reply is written at once, and a run can be resumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from inspect_ai import eval as inspect_eval
from inspect_ai import eval_retry
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from equipoise.errors import ConfigurationError, EquipoiseError, UpstreamError
from equipoise.evals.failures import advice, one_line
from equipoise.evals.mock_counts import count_without_network

FINISHED = "success"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be run.

    Attributes:
        task: registered name ("equipoise/openmtb").
        model: Inspect's name of the model.
        task_args: arguments of the task.
        model_args: arguments of the model.
        base_url: address of an endpoint; None for the provider's own.
        limit: samples at most; None for all.
        settings: settings of generation (temperature, max_tokens, max_connections, timeout ...).
    """

    task: str
    model: str
    task_args: Mapping[str, Any] = field(default_factory=dict)
    model_args: Mapping[str, Any] = field(default_factory=dict)
    base_url: str | None = None
    limit: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a run ended.

    Attributes:
        log: path of the log.
        status: Inspect's status.
        resumed: whether an earlier log was gone on with, or was complete already.
    """

    log: str
    status: str
    resumed: bool


def run(order: Order, log_dir: Path, *, resume: bool = True, display: str = "none") -> Ended:
    """Run a task, or go on with the newest log of the same order in the folder.

    A completed sample is never asked again: Inspect takes it over from the log, or from its own buffer when the run
    was killed before the log was written.

    Args:
        order: what is to be run.
        log_dir: folder of the logs.
        resume: go on with an earlier log of the same order where there is one.
        display: Inspect's display (none, plain, rich ...).

    Raises:
        EquipoiseError: an argument of the task names something that does not exist, or Inspect cannot start: unknown
            provider, no key, a library that is missing. One line says what to do.
    """
    earlier = find_log(order, log_dir) if resume else None
    if earlier is not None and earlier.status == FINISHED:
        return Ended(log=local_path(earlier.location), status=earlier.status, resumed=True)
    shown: Any = display
    count_without_network()
    try:
        if earlier is not None:
            logs = eval_retry(earlier.location, log_dir=str(log_dir), log_buffer=1, display=shown)
        else:
            logs = inspect_eval(
                order.task,
                model=order.model,
                model_base_url=order.base_url,
                model_args=dict(order.model_args),
                task_args=dict(order.task_args),
                limit=order.limit,
                log_dir=str(log_dir),
                log_format="eval",
                log_buffer=1,
                display=shown,
                **order.settings,
            )
    except EquipoiseError:
        raise
    except Exception as error:
        message = f"the run could not start: {one_line(str(error))}; {start_advice(error)}"
        raise ConfigurationError(message) from error
    if not logs:
        message = "Inspect made no log"
        raise UpstreamError(message)
    return Ended(log=local_path(logs[0].location), status=logs[0].status, resumed=earlier is not None)


def local_path(location: str) -> str:
    """A location of Inspect as a path of this machine; an address of another scheme stays as it is."""
    return url2pathname(urlsplit(location).path) if location.startswith("file://") else location


def find_log(order: Order, log_dir: Path) -> EvalLog | None:
    """The newest log in a folder that was started with the same order; None when there is none.

    Args:
        order: what is to be run.
        log_dir: folder of the logs.
    """
    if not log_dir.is_dir():
        return None
    for info in list_eval_logs(str(log_dir)):
        log = read_eval_log(info, header_only=True)
        spec = log.eval
        same = (
            spec.task_registry_name == order.task
            and spec.model == order.model
            and dict(spec.task_args_passed) == dict(order.task_args)
            and dict(spec.model_args) == dict(order.model_args)
            and spec.model_base_url == order.base_url
            and spec.config.limit == order.limit
        )
        settings = log.plan.config.model_dump(exclude_none=True)
        if same and all(settings.get(name) == value for name, value in order.settings.items()):
            return log
    return None


def start_advice(error: Exception) -> str:
    """What to do about a model that cannot be had, or a run that cannot start."""
    text = f"{type(error).__name__} {error}"
    if isinstance(error, OSError) and error.filename:
        return "nothing can be written there: name another folder"
    if "not recognized" in text or "should be in the format" in text:
        return "name the model as PROVIDER/MODEL, for instance openai/MODEL, ollama/MODEL or openai-api/SERVICE/MODEL"
    if "defined in the environment" in text:
        return "set that variable to the key of the service"
    if "pip install" in text or "optional dependencies" in text:
        return "install the library it names"
    return advice(text)
