"""How a refusal tells the client to wait."""

from __future__ import annotations

import math
import time
from email.utils import formatdate

from .limits import reset_go
from .settings import WaitForm


def tell(wait_s: float | None, form: WaitForm) -> tuple[list[tuple[str, str]], str]:
    """Headers and the sentence to add to the message; never less than the true wait.

    `retry-after` is in whole seconds, rounded up, and so is the date; `message` is Groq's wording.
    """
    if wait_s is None or form == "silent":
        return [], ""
    if form == "retry-after":
        return [("retry-after", str(math.ceil(wait_s)))], ""
    if form == "retry-after-ms":
        return [("retry-after-ms", str(math.ceil(wait_s * 1000)))], ""
    if form == "http-date":
        at = math.ceil(time.time() + wait_s)
        return [("retry-after", formatdate(at, usegmt=True))], ""
    if form == "reset-headers":
        return [
            ("x-ratelimit-remaining-requests", "0"),
            ("x-ratelimit-reset-requests", reset_go(wait_s)),
        ], ""
    return [], f" Please try again in {math.ceil(wait_s * 1000) / 1000:g}s."
