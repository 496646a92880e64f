"""GSM8K's test split: read, its gold taken out of the solution, a sample that can be repeated."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hinglishbench.errors import InputError, RefusedError
from hinglishbench.suites.items import Item

REPOSITORY = "openai/gsm8k"
# The commit of the dataset repository that holds the split as it has been since its parquet files came.
REVISION = "e53f048856ff4f594e959d75785d2c2d37b678ee"
FILE = "main/test-00000-of-00001.parquet"
ROWS = 1319
LICENCE = "MIT (Cobbe et al., Training Verifiers to Solve Math Word Problems, 2021)"


@dataclass(frozen=True)
class Source:
    """The rows of the split as items with the one form `en`.

    Attributes:
        items: in the order of the file; ids `gsm8k-test-0000` and on.
        digest: `sha256:…` over questions and answers, so that a copy from elsewhere can be told equal.
        origin: where they came from, for the card.
    """

    items: tuple[Item, ...]
    digest: str
    origin: str


def read_file(path: Path) -> Source:
    """Read a local copy: `.jsonl` (question, answer) or `.parquet`.

    Raises:
        InputError: no such file, or not GSM8K.
    """
    if path.suffix == ".parquet":
        return _source(_parquet_rows(path), path, f"the file {path.name}")
    return _source(list(_json_rows(path)), path, f"the file {path.name}")


def fetch(revision: str = REVISION) -> Source:
    """Read the split from the Hugging Face hub, at a pinned revision.

    Raises:
        RefusedError: the hub cannot be reached, or has no such revision.
    """
    from huggingface_hub import hf_hub_download  # noqa: PLC0415  heavy, and only with a network
    from huggingface_hub.errors import HfHubHTTPError  # noqa: PLC0415  the same

    try:
        path = hf_hub_download(REPOSITORY, FILE, repo_type="dataset", revision=revision)
    except (HfHubHTTPError, OSError) as error:
        raise RefusedError(
            f"{REPOSITORY} at {revision[:12]} cannot be fetched from the hub: {type(error).__name__}",
            hint="give a local copy with --source FILE.jsonl (or FILE.parquet)",
        ) from error
    return _source(_parquet_rows(Path(path)), Path(path), f"{REPOSITORY} at revision {revision}")


def sample(items: Sequence[Item], n: int, seed: int) -> list[Item]:
    """A uniform sample without replacement, in the order of the source.

    Each item's place follows from the seed and its number alone (a hash, no generator of a library),
    so the sample is the same in every version of Python, and a larger one holds the smaller ones.

    Raises:
        RefusedError: more items wanted than there are.
    """
    if n > len(items):
        raise RefusedError(f"the source has {len(items)} items, {n} are wanted", hint="lower --n")

    def place(number: int) -> bytes:
        return hashlib.blake2b(f"{seed}\0{number}".encode(), digest_size=8).digest()

    chosen = sorted(range(len(items)), key=place)[:n]
    return [items[number] for number in sorted(chosen)]


def _json_rows(path: Path) -> Iterator[tuple[str, str]]:
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, None, f"cannot be read: {error}", hint="check --source") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            yield str(row["question"]), str(row["answer"])
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                path, number, f"not a row of GSM8K: {error!r}",
                hint='one object a line: {"question": "…", "answer": "… #### 18"}',
            ) from error  # fmt: skip


def _parquet_rows(path: Path) -> list[tuple[str, str]]:
    import duckdb  # noqa: PLC0415  heavy

    try:
        with duckdb.connect(":memory:") as connection:
            rows: list[tuple[str, str]] = connection.execute(
                "select question, answer from read_parquet(?)", [str(path)]
            ).fetchall()
    except duckdb.Error as error:
        raise InputError(
            path, None, f"not GSM8K as parquet: {str(error).splitlines()[0]}"
        ) from error
    return rows


def _source(rows: Sequence[tuple[str, str]], path: Path, origin: str) -> Source:
    digest = hashlib.sha256()
    items = []
    for number, (question, solution) in enumerate(rows):
        digest.update(json.dumps([question, solution], ensure_ascii=False).encode() + b"\n")
        _, mark, gold = solution.rpartition("####")
        gold = gold.strip().replace(",", "")
        if not mark or not gold:
            raise InputError(path, number + 1, "the answer has no `#### N`", hint="is this GSM8K?")
        items.append(
            Item(
                f"gsm8k-test-{number:04d}", gold, {"en": " ".join(question.split())},
                meta={"source_index": number},
            )
        )  # fmt: skip
    if not items:
        raise InputError(path, None, "has no rows")
    return Source(tuple(items), f"sha256:{digest.hexdigest()}", origin)
