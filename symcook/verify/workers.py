"""Chunks of a sweep in other processes: whatever is a `concurrent.futures.Executor` runs them, a pool of processes on
this machine or a Dask cluster on many. What comes back is recorded by the one process that asked."""

from __future__ import annotations

import inspect
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import uuid4

from symcook.errors import BadInput, SymcookError
from symcook.model import modelfile
from symcook.model.expr import Tree
from symcook.verify.answers import Reference
from symcook.verify.chunks import Chunk, Plan
from symcook.verify.comparison import Comparison, Numbers, Tally


@dataclass(frozen=True)
class Made:
    """A reference by the call that makes it, so that another process can make its own. `name` tells it from others, or
    is None where it cannot be told."""

    make: Callable[[], Reference]
    name: str | None

    @classmethod
    def of(cls, reference: Reference) -> Made:
        """One that is there: told by the file that defines it."""
        function: Any = getattr(reference, "step", reference)  # of a Fold
        try:
            source = Path(inspect.getsourcefile(function) or "").read_bytes()
            name = f"{function.__qualname__} of {sha256(source).hexdigest()}"
        except (OSError, TypeError, AttributeError):
            name = None
        return cls(Given(reference), name)


@dataclass(frozen=True)
class Given:
    """A call that makes what is there already."""

    reference: Reference

    def __call__(self) -> Reference:
        return self.reference


@dataclass
class Task:
    """A comparison that goes to other processes, where it is built once."""

    plan: Plan
    made: Made
    numbers: Numbers
    within: Tree | None = None
    key: str = field(default_factory=lambda: uuid4().hex)

    @cached_property
    def document(self) -> str:
        """The model as a file has it."""
        return modelfile.dumps(self.plan.model)

    def __getstate__(self) -> tuple[object, ...]:
        plan = self.plan
        return self.document, plan.max_length, plan.block, plan.size, self.made, self.numbers, self.within, self.key

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        document, max_length, block, size, self.made, self.numbers, self.within, self.key = state
        known = _tasks.__dict__.get(self.key)
        self.plan = Plan(known.model if known else modelfile.loads(document), max_length, block, size)

    @property
    def comparison(self) -> Comparison:
        """The comparison of this process, or thread, which keeps what it learns about the reference."""
        known = _tasks.__dict__
        if self.key not in known:
            known.clear()  # one sweep at a time
            known[self.key] = Comparison(self.plan.model, self.made.make(), self.numbers, within=self.within)
        return known[self.key]


_tasks = threading.local()


def work(task: Task, chunk: Chunk) -> Tally:
    """What is found on a chunk: the call that an executor is given."""
    return task.comparison.compare(task.plan.parts(chunk))


def spread(task: Task, chunks: Iterable[Chunk], executor: Executor, ahead: int) -> Iterator[tuple[Chunk, Tally]]:
    """Chunks as they are done by an executor, which holds no more than `ahead` of them at a time."""
    waiting, pending = iter(chunks), {}
    try:
        while True:
            for chunk in islice(waiting, ahead - len(pending)):
                pending[executor.submit(work, task, chunk)] = chunk
            if not pending:
                return
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                yield pending.pop(future), future.result()
    except SymcookError:
        raise
    except (BrokenExecutor, CancelledError) as error:
        raise _died(error) from error
    except Exception as error:
        if type(error).__name__ in ("KilledWorker", "CommClosedError", "FutureCancelledError"):  # those of Dask
            raise _died(error) from error
        if not _pickles(task):
            must = "a reference for other processes must be a function of a module, or a Fold of such functions"
            raise BadInput(must, f"{type(error).__name__}: {error}", "put it into a file") from error
        raise
    finally:
        for future in pending:
            future.cancel()


def _died(error: BaseException) -> BadInput:
    must = "a worker must live until it has answered"
    given = f"one that ended before ({type(error).__name__}: killed, or out of memory)"
    return BadInput(must, given, "give the same command again: with --resume FILE it goes on with what is written")


def _pickles(task: Task) -> bool:
    try:
        pickle.dumps(task)
    except Exception:  # each object says so in its own way
        return False
    return True


@contextmanager
def processes(count: int) -> Iterator[Executor]:
    """So many processes of this machine, which end with this one, however it ends, and leave Ctrl-C to it."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), _begin)
    try:
        with _without_interrupt():
            pool.submit(os.getpid)  # starts them
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _without_interrupt() -> Iterator[None]:
    """Where a Ctrl-C waits, here and, since a process inherits what is blocked, in what is started here."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _begin() -> None:
    """In a new worker: what the user's code prints must not stand in the answer; and a worker must not outlive a
    parent that was killed, since it would wait for ever."""
    import multiprocessing

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """The Dask cluster whose scheduler listens at `address`, and how many threads its workers have."""
    try:
        from distributed import Client
    except ImportError as error:
        must = "a sweep on a cluster must have Dask"
        raise BadInput(must, "none installed", "install symcook[cluster]") from error
    try:
        client = Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        must = "the address must be that of a Dask scheduler"
        raise BadInput(must, address, "for example tcp://127.0.0.1:8786, as dask scheduler prints it") from error
    with client:
        threads = sum(client.nthreads().values())
        if not threads:
            raise BadInput("the cluster must have a worker", "none", f"start one with: dask worker {address}")
        yield client.get_executor(pure=False), threads
