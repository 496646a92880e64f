"""Language forms: scripts, quantities, mixing measures."""
