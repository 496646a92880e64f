"""The plan of a run: arms, blocks in seeded order, and the request of each cell.

Nothing is kept per cell: position and content follow from the position number (`seq`), so a plan of
a hundred thousand cells weighs as much as its suite.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from hinglishbench.canonical import canonical_json
from hinglishbench.client.dialect import chat_request
from hinglishbench.client.providers import Endpoint
from hinglishbench.client.transport import HttpRequest
from hinglishbench.ledger.identity import ArmRow, EndpointRow, PromptRow
from hinglishbench.ledger.planning import ItemRow, WantedRow, item_options
from hinglishbench.suites.items import Item, Suite
from hinglishbench.suites.prompts import Prompt
from hinglishbench.suites.request import request_digest, slot_values

# What a chat template may add to the text of a prompt, at most, in tokens; part of what a call is reserved at.
TEMPLATE_TOKENS = 1024


@dataclass(frozen=True)
class Arm:
    """One thing under test: an endpoint, a model, an effort and a prompt."""

    endpoint: Endpoint
    address: str
    model: str
    effort: str | None
    temperature: float | None
    max_tokens: int | None
    prompt: Prompt
    params: dict[str, Any]

    @cached_property
    def row(self) -> ArmRow:
        """The arm as the ledger keeps it."""
        provider = self.endpoint.provider.name
        return ArmRow(
            EndpointRow(provider, self.endpoint.route, self.address),
            PromptRow(self.prompt.name, self.prompt.digest, self.prompt.content),
            self.model,
            self.effort,
            self.temperature,
            self.max_tokens,
            self.params,
        )


class Block(NamedTuple):
    """One item and sample, with its forms in the order of asking."""

    item: Item
    sample: int
    forms: tuple[str, ...]


class PlannedCell(NamedTuple):
    """One arm x item x form x sample."""

    arm: Arm
    arm_index: int
    item: Item
    form: str
    sample: int


@dataclass(frozen=True)
class Plan:
    """Cells in the order of asking: block by block, its arms in turn, its forms side by side."""

    suite: Suite
    arms: Sequence[Arm]
    blocks: Sequence[Block]
    bill_to: str | None = None

    @property
    def forms(self) -> int:
        """Forms of a block."""
        return len(self.blocks[0].forms) if self.blocks else 0

    def __len__(self) -> int:
        """Number of cells."""
        return len(self.blocks) * len(self.arms) * self.forms

    def cell(self, seq: int) -> PlannedCell:
        """The cell at a position."""
        rest, form = divmod(seq, self.forms)
        block_index, arm_index = divmod(rest, len(self.arms))
        block = self.blocks[block_index]
        return PlannedCell(
            self.arms[arm_index], arm_index, block.item, block.forms[form], block.sample
        )

    def request(self, cell: PlannedCell) -> HttpRequest:
        """The request that asks a cell.

        Raises:
            RefusedError: the prompt needs something that the item lacks.
        """
        item, form = cell.item, cell.form
        values = slot_values(
            item.forms[form], item.forms.get("en"), form, item.options, item.labels, item.context
        )
        messages = cell.arm.prompt.messages(form, values)
        return chat_request(cell.arm.endpoint, cell.arm.params, messages, self.bill_to)

    def items(self) -> Iterator[ItemRow]:
        """The items of the plan, each once, as the ledger keeps them."""
        seen = {id(block.item): block.item for block in self.blocks}
        for seq, item in enumerate(seen.values()):
            answer = list(item.answer) if isinstance(item.answer, tuple) else item.answer
            meta = dict(item.meta)
            meta |= {k: v for k, v in (("check", item.check), ("context", item.context)) if v}
            yield (
                seq, self.suite.name, item.id, canonical_json(answer), self.suite.grader, item.tier,
                item.topic, item_options(item.options, item.labels, item.meta.get("tolerance")),
                canonical_json(meta) if meta else None,
            )  # fmt: skip

    def wanted(self) -> Iterator[WantedRow]:
        """Every cell with the digest of its request.

        Raises:
            RefusedError: the prompt needs something that an item lacks.
        """
        endpoints = [arm.row.endpoint.digest for arm in self.arms]
        for seq in range(len(self)):
            cell = self.cell(seq)
            body = self.request(cell).body
            yield (
                seq, cell.arm_index, cell.item.id, cell.form, cell.item.forms[cell.form], cell.sample,
                request_digest(endpoints[cell.arm_index], body, cell.sample),
            )  # fmt: skip


def bound_in(request: HttpRequest) -> int:
    """Prompt tokens at most: a token is at least a byte of the text, and a template adds its own."""
    return len(request.body) + TEMPLATE_TOKENS


def order_blocks(
    suite: Suite, forms: Sequence[str], *, samples: int, seed: int, limit: int | None
) -> list[Block]:
    """Blocks in seeded random order, forms inside a block in seeded random order.

    The place of a block depends on the seed, the item's id and the sample alone, so a larger limit
    extends a smaller one, and a suite that grew keeps the order of what was there.
    """

    def place(*parts: object) -> bytes:
        return hashlib.blake2b("\0".join(map(str, parts)).encode(), digest_size=8).digest()

    keyed = [
        (place(seed, item.id, sample), index, sample)
        for index, item in enumerate(suite.items)
        for sample in range(samples)
    ]
    keyed.sort()
    return [
        Block(
            suite.items[index],
            sample,
            tuple(sorted(forms, key=lambda form: place(seed, suite.items[index].id, sample, form))),
        )
        for _, index, sample in keyed[:limit]
    ]
