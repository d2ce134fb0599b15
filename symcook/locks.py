"""The lock for the working precision: only one thread at a time computes with balls.

python-flint has one precision for the whole process, and all threads share mpmath's constants. So the precision is set
only by ``with PRECISION, flint.ctx.workprec(bits):``, and a run in any number system holds the lock. Both contexts are
entered in C, so that a time limit, which raises an exception between two steps of Python, cannot come between them.
"""

from __future__ import annotations

import os
import threading

PRECISION = threading.RLock()

# A process is forked only while no other thread holds the lock: in the copy that thread would never release it.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=PRECISION.acquire, after_in_parent=PRECISION.release, after_in_child=PRECISION.release)
