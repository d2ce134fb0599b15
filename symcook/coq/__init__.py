"""Certificates as Coq developments, so that Coq judges what our checkers accept. Nothing here is trusted."""
