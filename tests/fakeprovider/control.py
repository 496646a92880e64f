"""The paths under `/_`: read the bill and the log, set script, rates and rules, start afresh.

None of them is counted as a request.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from .protocol import Exchange
from .replies import JSON_TYPE

if TYPE_CHECKING:
    from .service import Service


class Control:
    """Answers control requests.

    - `GET /_bill`: the account, with the server's own CPU seconds.
    - `GET /_log?from=ORDINAL&limit=N`: rows of the log.
    - `GET /_settings`: the settings.
    - `POST /_reset`: empty bill, log and script.
    - `POST /_script`: a list of behaviours for the next requests, or an object with any of
      `behaviours` (appended), `rates` and `rules` (replaced).
    """

    def __init__(self, service: Service) -> None:
        self._service = service

    def handle(self, exchange: Exchange) -> None:
        """Answer one control request."""
        request = exchange.request
        path, _, query = request.path.partition("?")
        try:
            body = self._answer(f"{request.method} {path}", query, request.body)
        except (KeyError, TypeError, ValueError) as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
            exchange.reply(400, JSON_TYPE, json.dumps(reply).encode())
            return
        exchange.reply(200, JSON_TYPE, json.dumps(body).encode())

    def _answer(self, what: str, query: str, raw: bytes) -> Any:
        service = self._service
        if what == "GET /_bill":
            uptime = service.clock() - service.bill.started
            return {
                **service.bill.as_dict(),
                "uptime_s": round(uptime, 3),
                "cpu_s": round(time.process_time(), 4),
            }
        if what == "GET /_log":
            asked = {name: int(values[0]) for name, values in parse_qs(query).items()}
            start = max(0, asked.get("from", 1) - 1)
            rows = service.bill.entries[start : start + asked.get("limit", 10**9)]
            return [entry.row() for entry in rows]
        if what == "GET /_settings":
            return json.loads(service.settings.to_json())
        if what == "POST /_reset":
            service.reset()
            return {"reset": True}
        if what == "POST /_script":
            return self._script(json.loads(raw))
        raise ValueError(f"no such control: {what}")

    def _script(self, given: Any) -> dict[str, int]:
        plan = self._service.plan
        if isinstance(given, list):
            given = {"behaviours": given}
        unknown = set(given) - {"behaviours", "rates", "rules"}
        if unknown:
            raise ValueError(f"unknown keys: {', '.join(sorted(unknown))}")
        if "rates" in given:
            plan.set_rates(given["rates"])
        if "rules" in given:
            plan.set_rules(given["rules"])
        plan.add(given.get("behaviours", ()))
        return {"scripted": plan.scripted}
