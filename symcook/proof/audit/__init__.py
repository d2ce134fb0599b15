"""Auditing statements: near misses by rule, and a search for an instance that falsifies one. Untrusted."""
