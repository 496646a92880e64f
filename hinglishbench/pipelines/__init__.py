"""Datasets made with models: translate, generate, solve, check, reject with a reason.

- `asking`: requests without cells through the same engine, limiter, budget and ledger as `run`.
- `prompts`: what is asked, as data (`prompts/*.toml`), with slots of its own.
- `translation`: from one form to another, checked, with every exclusion's reason; `gsm8k` samples
  what is translated.
- `generation`: problems conceived in Hinglish, checked, compared, solved again independently; `first`
  writes them down.
- `neardup`: near-duplicates by MinHash.
- `files`: what a build leaves behind: items, rejects, exclusions, the record and the card.
- `pulling`: datasets (`layout`) and predictions (`foreign`) of others, brought into our shapes by a
  `mapping` of their keys.
- `fertility`: what each form costs on the input side, by tokenizer.
"""
