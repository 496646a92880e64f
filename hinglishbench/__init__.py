"""hinglishbench: what Hinglish costs on hosted language models."""

__version__ = "0.1.0"
