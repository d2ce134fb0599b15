"""The lock under which the working precision is changed and used: one thread at a time computes with balls.

python-flint keeps one precision for the whole process, and mpmath's constants are shared by all threads as well. So
``with PRECISION, flint.ctx.workprec(bits):`` is the only way to set it, and a run in any number system holds the lock.
Both are entered in C: a time limit, which raises an exception between two steps of Python, cannot part them.
"""

from __future__ import annotations

import os
import threading

PRECISION = threading.RLock()

if hasattr(os, "register_at_fork"):  # no other thread is within when a process is copied: nobody would leave it there
    os.register_at_fork(before=PRECISION.acquire, after_in_parent=PRECISION.release, after_in_child=PRECISION.release)
