#!/usr/bin/env bash
# What the browser tests need: Chromium with its driver (Debian or Ubuntu), and axe-core at the version
# of package-lock.json. Run as root, or with sudo at hand.
set -euo pipefail
cd "$(dirname "$0")/.."

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null; then
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
    chromium chromium-driver fonts-noto-core
fi
if [ ! -f node_modules/axe-core/axe.min.js ]; then
  if ! command -v npm >/dev/null; then
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends npm
  fi
  npm ci --no-audit --no-fund --silent
fi
chromium --version
