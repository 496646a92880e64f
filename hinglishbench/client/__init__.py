"""Talking to providers: transports, dialects, errors, retry, limiter, cassettes."""
