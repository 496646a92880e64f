"""A million damaged replies through the normaliser: how many, how fast, and no exception.

    python benchmarks/fuzz_normaliser.py [--n 1000000] [--seed 1]

Takes documented shapes of answers, errors and streams, damages each in one of the ways that
networks and gateways do (cut, bytes changed, fields dropped, values swapped for other kinds, wrong
status, wrong content type, odd headers) and reads it in the dialect of a random provider. An
exception, a malformed outcome, or a word for billed other than yes, no and maybe ends the run.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from typing import Any

from hinglishbench.client.normalise import Answer, normalise
from hinglishbench.client.provider import Provider
from hinglishbench.client.providers import load_providers
from hinglishbench.client.transport import HttpReply
from hinglishbench.client.waits import limits_seen

USAGE = {
    "prompt_tokens": 18, "completion_tokens": 245, "total_tokens": 263, "cost": 0.0021,
    "is_byok": False, "cost_details": {"upstream_inference_cost": 0.04},
    "prompt_tokens_details": {"cached_tokens": 4},
    "completion_tokens_details": {"reasoning_tokens": 198},
}  # fmt: skip


def _chat(message: Any, finish: Any = "stop", **more: Any) -> dict[str, Any]:
    return {"id": "c1", "object": "chat.completion", "model": "m", "usage": USAGE,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}], **more}  # fmt: skip


DOCUMENTS: list[Any] = [
    _chat({"role": "assistant", "content": "उत्तर: ₹१,२५,००० \ud83d\ude00", "refusal": None}),
    _chat({"content": None, "reasoning_content": "hm"}, "length"),
    _chat({"content": "<think>7?</think>\n9", "reasoning": "r", "reasoning_details": [{"text": "r"}]}),
    _chat({"content": [{"type": "text", "text": "4"}, {"type": "thinking", "thinking": [{"text": "x"}]}]}),
    _chat({"content": None}, "content_filter"),
    _chat({"content": "4"}, "error", error={"code": 502, "message": "Provider disconnected"}),
    {"choices": [{"text": " B", "finish_reason": "length"}], "usage": {"input_tokens": 3, "output_tokens": 1}},
    {"error": {"message": "Rate limit reached. Please try again in 5.289s.", "type": "tokens",
               "code": "rate_limit_exceeded"}},
    {"error": "The requested model is not supported by any provider you have enabled."},
    {"error": {"code": 429, "message": "slow", "metadata": {"raw": "busy",
                                                           "headers": {"X-RateLimit-Reset": "1795000012000"}}}},
    [{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [{"retryDelay": "17s"}]}}],
    {"object": "error", "message": "The model `x` does not exist.", "type": "NotFoundError", "code": 404},
    {"detail": [{"loc": ["body"], "msg": "must be positive", "type": "int"}]},
    {"id": "x", "choices": []},
]  # fmt: skip
CHUNKS: list[Any] = [
    {
        "id": "c1",
        "model": "m",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": "4"}}],
    },
    {"choices": [{"index": 0, "delta": {"reasoning": "hm"}, "finish_reason": None}]},
    {"choices": [{"index": 0, "delta": {"content": "२"}, "finish_reason": "stop"}]},
    {"choices": [], "usage": USAGE},
]
HEADERS: list[dict[str, str]] = [
    {},
    {"content-type": "application/json"},
    {"content-type": "text/event-stream"},
    {"content-type": "text/html", "retry-after": "6"},
    {"retry-after": "Wed, 18 Nov 2026 11:08:40 GMT", "date": "Wed, 18 Nov 2026 11:06:40 GMT"},
    {"retry-after-ms": "1500", "x-ratelimit-reset": "1795000060000"},
    {"x-ratelimit-limit-requests": "14400", "x-ratelimit-remaining-tokens": "0",
     "x-ratelimit-reset-tokens": "6m0s", "ratelimit": '"api";r=0;t=55'},
]  # fmt: skip
STATUSES = [200] * 8 + [201, 204, 206, 301, 308, 400, 401, 402, 403, 404, 408, 410, 413, 422, 429,
                        429, 498, 499, 500, 501, 502, 503, 504, 524, 529]  # fmt: skip
ODD: list[Any] = [None, True, False, 0, -1, 1.5, 1e308, 10**30, "", "4", "\ud835", "\x1b[31m", [], {},
                  [None], [[]], {"text": 3}, {"error": {}}, "9" * 50, float("inf"), float("nan")]  # fmt: skip


def _swap(node: Any, rng: random.Random) -> Any:
    """The document with values swapped for others and fields dropped, each with a small chance."""
    if rng.random() < 0.06:
        return rng.choice(ODD)
    if isinstance(node, dict):
        return {k: _swap(v, rng) for k, v in node.items() if rng.random() > 0.04}
    if isinstance(node, list):
        return [_swap(item, rng) for item in node if rng.random() > 0.04]
    return node


def _bytes(rng: random.Random) -> bytes:
    if rng.random() < 0.3:
        chunks = [json.dumps(_swap(chunk, rng)) for chunk in CHUNKS]
        raw = "".join(f"data: {chunk}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    else:
        raw = json.dumps(_swap(rng.choice(DOCUMENTS), rng))
    return raw.encode()


def _damage(raw: bytes, rng: random.Random) -> bytes:
    how = rng.random()
    at = rng.randrange(len(raw) + 1)
    if how < 0.5:
        return raw
    if how < 0.7:
        return raw[:at]
    if how < 0.85:
        return raw[:at] + rng.randbytes(rng.randrange(1, 5)) + raw[at + 1 :]
    if how < 0.95:
        return raw[:at] + raw[at + rng.randrange(1, 9) :]
    return b"<html><body>" + raw[:at] + b"</body></html>"


def _check(outcome: Any, provider: Provider, reply: HttpReply) -> str:
    """The outcome's name; AssertionError when it is not well formed."""
    if isinstance(outcome, Answer):
        assert 200 <= reply.status < 300
        for text in (outcome.text, outcome.reasoning, outcome.finish_reason, outcome.model):
            assert text is None or text.encode() is not None
        json.dumps(outcome.usage.raw, allow_nan=False)
        return "answer"
    assert outcome.message.isprintable()
    assert len(outcome.message) <= 500
    assert outcome.wait_s is None or outcome.wait_s >= 0
    assert outcome.billed in ("yes", "no", "maybe")
    if not 200 <= reply.status < 300:
        assert outcome.billed == provider.billed(reply.status)
    return str(outcome.code)


def main() -> None:
    """Fuzz and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--n", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    providers = list(load_providers().values())
    seen: Counter[str] = Counter()
    reading = 0.0
    started = time.perf_counter()
    for number in range(options.n):
        reply = HttpReply(rng.choice(STATUSES), rng.choice(HEADERS), _damage(_bytes(rng), rng))
        provider = rng.choice(providers)
        before = time.perf_counter()
        try:
            outcome = normalise(reply, provider, 1_795_000_000.0)
            limits_seen(reply.headers, provider, 1_795_000_000.0)
            reading += time.perf_counter() - before
            seen[_check(outcome, provider, reply)] += 1
        except Exception:
            print(
                f"reply {number} of seed {options.seed}, {provider.name}: {reply!r}",
                file=sys.stderr,
            )
            raise
    total = time.perf_counter() - started
    print(f"{options.n:,} replies, 0 exceptions, seed {options.seed}")
    print(
        f"reading: {reading / options.n * 1e6:.1f} us each, {options.n / reading:,.0f}/s; in all {total:.0f} s"
    )
    for name, count in seen.most_common():
        print(f"{count:>9,}  {name}")


if __name__ == "__main__":
    main()
