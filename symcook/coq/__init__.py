"""Certificates as Coq developments, so that Coq judges what our checkers accept.

Coq's verdicts rest on the files here that `symcook.proof.JUDGES` lists; nothing else here is trusted.
"""
