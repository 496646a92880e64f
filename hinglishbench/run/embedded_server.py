"""The process that holds the embedded model: `python -m hinglishbench.run.embedded_server PATH CAP SLOTS`.

It prints its base URL in one line and serves until its standard input ends, which it does when the
program that started it ends in whatever way.

A process of its own, because llama.cpp's server cannot be stopped inside ours while it answers: it waits
for its threads, holding the interpreter's lock, and they wait for answers that nobody computes any more.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hinglishbench.run.embedded import MODEL, PROMPT_TOKENS, threads


def serve(path: Path, *, max_tokens: int, slots: int) -> None:
    """Load the model, say where it is served, and end with standard input."""
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
    print(server.listening_address + "/v1", flush=True)  # noqa: T201  what the parent reads
    sys.stdin.buffer.read()
    os._exit(0)  # a tidy end would wait for answers, see above


if __name__ == "__main__":
    serve(Path(sys.argv[1]), max_tokens=int(sys.argv[2]), slots=int(sys.argv[3]))
