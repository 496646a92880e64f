"""The project's own OpenAI-compatible server on 127.0.0.1, for tests and benchmarks.

It computes nothing and keeps books: which requests came, what each of them met, and what a real
provider would have billed for it. It is fast enough never to be the bottleneck of a benchmark
(`benchmarks/server_ceiling.py` measures that), and needs nothing but the standard library.

- `protocol` HTTP/1.1 on a bare asyncio protocol · `server` the socket · `provider` thread, process
- `service` routes and order of decisions · `control` the paths under `/_`
- `asks` reading a request · `answers` the completion, a pure function · `replies` the words
- `behaviours` the catalogue of faults and what each costs · `turns` what each fault does
- `limits` token buckets and their headers · `waits` how a refusal tells a wait · `billing` the bill
- `settings` every option
"""

from .answers import Answerer, Completion, Tokens
from .asks import Ask
from .behaviours import Behaviour, Fault
from .provider import FakeProvider, SpawnedProvider
from .settings import Settings

__all__ = [
    "Answerer",
    "Ask",
    "Behaviour",
    "Completion",
    "FakeProvider",
    "Fault",
    "Settings",
    "SpawnedProvider",
    "Tokens",
]
