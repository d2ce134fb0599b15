"""Statements over finitely many values and positions: decided by automata, and certified by cases on positions.

For: `regular` decides; `placed` and its neighbours write the certificate; `potentials` is for automata with counters.
Untrusted: the kernel sees neither automaton nor table.
May import: what `claims` may, and `bycounts`.
"""
