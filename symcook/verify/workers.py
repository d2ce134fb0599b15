"""Exhaustive checks in other processes, and references that such a process can make for itself.

`Made` says how a reference is made in another process, and gives it a name by which results can be stored: the name
contains a hash of the source files that define the reference. `spread` hands the chunks of a check to any
`concurrent.futures.Executor`, such as a pool of processes on this machine (`processes`) or a Dask cluster (`cluster`).
The calling process records the results.
"""

from __future__ import annotations

import ast
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
from functools import partial
from hashlib import sha256
from importlib import import_module
from itertools import islice
from pathlib import Path
from time import sleep
from types import ModuleType
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from symcook.errors import BadInput, SymcookError
from symcook.files import content
from symcook.model import modelfile
from symcook.model.expr import Tree
from symcook.verify.answers import Reference
from symcook.verify.chunks import Chunk, Plan
from symcook.verify.comparison import Comparison, Numbers, Tally
from symcook.verify.identity import identity
from symcook.verify.installed import is_below, is_installed, real_path

if TYPE_CHECKING:
    from symcook.programs.compiled import Program


@dataclass(frozen=True)
class Made:
    """A reference as a call that makes it, so that another process can make its own."""

    make: Callable[[], Reference]
    """Makes the reference; it can be pickled if the reference can be made in another process."""
    called: str | None
    """The name of the reference; None where a name does not distinguish it from other references."""
    file: str | None = None
    """The file that defines the reference, where the contents of this file are part of its identity; "" if the file is
    not known, so that the reference has no `name`."""

    @property
    def name(self) -> str | None:
        """The identity of the reference: its name, with a hash of its source files as they are now. None where it has
        no name, or a file cannot be read."""
        if self.called is None or self.file is None:
            return self.called
        try:
            return f"{self.called} of a file with SHA-256 {sha256(_source_bytes(Path(self.file))).hexdigest()[:16]}"
        except BadInput:
            return None

    @classmethod
    def of(cls, reference: Reference | Made) -> Made:
        """The `Made` of a given reference. If the reference has a name in its module, another process imports that
        module; else it unpickles the reference. The file that defines it is part of its identity. BadInput for text,
        which is no reference."""
        if isinstance(reference, Made):
            return reference
        if isinstance(reference, (str, bytes)):
            raise BadInput(
                "a specification must be a function of a string, or a Fold",
                reference,
                "write a function that takes a string, or sc.Fold(start, step, answer)",
            )
        function: Any = getattr(reference, "step", reference)  # a Fold is identified by its step function
        module_name = str(getattr(function, "__module__", None))
        module_names = vars(sys.modules[module_name]) if module_name in sys.modules else {}
        names = [key for key, value in module_names.items() if value is reference]
        make = partial(_load_by_name, module_name, names[0]) if names else partial(_return_itself, reference)
        try:
            return cls(make, (names or [function.__qualname__])[0], inspect.getsourcefile(function) or "")
        except (TypeError, AttributeError):
            return cls(make, None)


def of_program(program: Program) -> Made:
    """The `Made` of the reference that a compiled model's program defines."""
    from symcook.spec.programs import reference

    digest = sha256("\0".join((program.kind, program.source, *program.alphabet)).encode()).hexdigest()[:16]
    return Made(partial(reference, program), f"a program of {program.kind} with SHA-256 {digest}")


def _source_bytes(file: Path) -> bytes:
    """The contents of a file and of the Python files that it may depend on: those of loaded modules in its folder, and
    those that it reaches by imports.

    Files of installed packages are left out, since they belong to the environment. A data file that the code reads is
    not seen.
    """
    own_path, folder = real_path(str(file)), os.path.dirname(real_path(str(file)))
    loaded = {real_path(path) for module in list(sys.modules.values()) if (path := getattr(module, "__file__", None))}
    beside = {path for path in loaded if is_below(path, folder) and not is_installed(path)}
    needed = {*_reached_files(own_path), *beside} - {own_path}
    paths = sorted(path for path in needed if path.endswith(".py") and os.path.isfile(path))
    return b"".join([content(path, "a reference") for path in (file, *paths)])


def _reached_files(file: str) -> set[str]:
    """The files of the loaded modules that `file` depends on, directly or through others; `file` itself if one of them
    imports it.

    A module depends on the modules that its import statements name, and on those in which its values were defined.
    Installed modules are left out.
    """
    module_of_file = {
        real_path(path): module for module in list(sys.modules.values()) if (path := getattr(module, "__file__", None))
    }
    reached, waiting = set[str](), [file]
    while waiting:
        module = module_of_file.get(waiting.pop())
        for target in (*_modules_of_values(module), *_modules_in_imports(module)) if module is not None else ():
            found_file = getattr(target, "__file__", None)
            if found_file and (real := real_path(found_file)) not in reached and not is_installed(real):
                reached.add(real)
                waiting.append(real)
    return reached


def _modules_of_values(module: ModuleType) -> Iterator[ModuleType | None]:
    """The modules in which the values named in `module` were defined; a value that is a module itself."""
    for value in list(vars(module).values()):
        module_name = getattr(value, "__module__", None)
        yield value if isinstance(value, ModuleType) else sys.modules.get(str(module_name))


def _modules_in_imports(module: ModuleType) -> Iterator[ModuleType | None]:
    """The loaded modules that the import statements of `module` name. They are read from its source, because an
    imported value such as a number does not know the module that defined it."""
    try:
        tree = ast.parse(content(str(module.__file__), "a reference"))
    except (BadInput, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [name_imported.name for name_imported in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = str(module.__package__).split(".")
            parents = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            names = [base, *(f"{base}.{name_imported.name}" for name_imported in node.names)]
        else:
            continue
        yield from map(sys.modules.get, names)


def _load_by_name(module: str, name: str) -> Reference:
    """The reference called `name` in `module`."""
    return getattr(import_module(module), name)


def _return_itself(reference: Reference) -> Reference:
    """The reference, which was pickled with the call."""
    return reference


@dataclass(frozen=True)
class Task:
    """A comparison as it is sent to other processes, each of which builds it once."""

    document: str
    """The model as the text of a model file."""
    sizes: tuple[int, int, int]
    """`max_length`, `block` and `size` of its `Plan`."""
    made: Made
    numbers: Numbers
    within: Tree | None
    """How far values may differ, as `Comparison` has it."""
    content: str | None = None
    """The identity of the reference in the process that asks (`symcook.verify.identity`), where its name is not enough;
    each worker compares it with that of its own reference."""
    key: str = field(default_factory=lambda: uuid4().hex)
    """A random name, by which a process recognises a task that it has built."""

    @classmethod
    def of(cls, plan: Plan, made: Made, numbers: Numbers, within: Tree | None, content: str | None) -> Task:
        """The task of a comparison of the model of `plan`."""
        return cls(
            modelfile.dumps(plan.model), (plan.max_length, plan.block, plan.size), made, numbers, within, content
        )

    def built(self) -> tuple[Plan, Comparison]:
        """The plan and the comparison, which each thread of each process builds once. The comparison is kept because it
        remembers answers of the reference."""
        built_here = _tasks.__dict__
        if self.key not in built_here:
            built_here.clear()  # a worker runs one check at a time
            model = modelfile.loads(self.document)
            built_here[self.key] = (
                Plan(model, *self.sizes),
                Comparison(model, self.reference(), self.numbers, within=self.within),
            )
        return built_here[self.key]

    def reference(self) -> Reference:
        """The reference; BadInput where this process makes another one than the process that asks."""
        made = self.made.make()
        if self.content is not None and identity(made) != self.content:
            must = "a specification must be the same in each worker"
            failure = f"{self.made.called}, which was changed after its file was loaded"
            raise BadInput(must, failure, "change the file, or give --workers 1")
        return made


Results = Iterator[tuple[Chunk, Tally]]
"""Each chunk that is done, with its tally."""
_tasks = threading.local()
"""What `Task.built` has built in this thread, by the key of the task."""


def work(task: Task, chunk: Chunk) -> Tally:
    """The tally of one chunk. This is the function that an executor calls."""
    plan, comparison = task.built()
    return comparison.compare(plan.parts(chunk))


def spread(task: Task, executor: Executor, ahead: int, chunks: Iterable[Chunk]) -> Results:
    """Runs the chunks in an executor and yields each with its tally, in the order in which they finish. At most `ahead`
    chunks are submitted at a time. BadInput if a worker dies or the reference cannot be pickled."""
    waiting, pending = iter(chunks), {}
    try:
        while True:
            # Submit chunks until `ahead` are pending, then wait for the first that is done.
            for chunk in islice(waiting, ahead - len(pending)):
                pending[executor.submit(work, task, chunk)] = chunk
            if not pending:
                return
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                yield pending.pop(future), future.result()
    except SymcookError:
        raise
    except (BrokenExecutor, CancelledError) as error:
        raise _worker_died(error) from error
    except Exception as error:
        if type(error).__name__ in ("KilledWorker", "CommClosedError", "FutureCancelledError"):  # errors of Dask
            raise _worker_died(error) from error
        _pickle_task(task)  # raises BadInput if the error was that the task cannot be sent
        raise
    finally:
        for future in pending:
            future.cancel()


def _worker_died(error: BaseException) -> BadInput:
    """The error for a worker that ended before it answered."""
    must = "a worker must live until it has answered"
    failure = f"one that ended before ({type(error).__name__}: killed, or out of memory)"
    return BadInput(
        must, failure, "run the same command again; with --resume FILE the check continues from the saved strings"
    )


def _pickle_task(task: Task) -> bytes:
    """The task as it is sent to another process; BadInput where its reference cannot be pickled."""
    try:
        return pickle.dumps(task)
    except Exception as error:  # an object that cannot be pickled may raise anything
        must = "a specification for other processes must be a function of a module, or a Fold of such functions"
        raise BadInput(must, f"{type(error).__name__}: {error}", "put it into a file") from error


@contextmanager
def processes(count: int, task: Task) -> Iterator[Executor]:
    """A pool of `count` processes on this machine. They end when this process ends, in whatever way, and ignore Ctrl-C.

    A new process imports the running program (``__main__``) only if `task` needs it: a program that has no
    ``if __name__ == "__main__"`` would start again in each of them.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    program = sys.modules["__main__"]
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), _begin_worker)
    try:
        if b"__main__" not in _pickle_task(task):
            sys.modules["__main__"] = ModuleType("__main__")
        with _without_interrupt():
            for _ in range(count):
                # Each sleep keeps its worker busy, so that the next call of submit starts another.
                pool.submit(sleep, 0.1)
        sys.modules["__main__"] = program
        yield pool
    finally:
        sys.modules["__main__"] = program
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _without_interrupt() -> Iterator[None]:
    """Blocks Ctrl-C while the body runs, in this thread and in the processes that it starts, which inherit the mask."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _begin_worker() -> None:
    """Prepares a new worker. What the user's code prints goes to stderr, as stdout is for the result. The worker ends
    with its parent, even one that was killed, since it would wait for ever."""
    import multiprocessing

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr
    parent = multiprocessing.parent_process()

    def watch() -> None:
        """End this process as soon as its parent ends."""
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """An executor for the Dask cluster whose scheduler listens at `address`, and how many threads its workers have in
    all."""
    try:
        distributed = import_module("distributed")
    except ImportError as error:
        must = "a check on a cluster must have Dask"
        raise BadInput(must, "none installed", "install symcook[cluster]") from error
    try:
        client = distributed.Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        must = "the address must be that of a Dask scheduler"
        raise BadInput(must, address, "for example tcp://127.0.0.1:8786, as dask scheduler prints it") from error
    with client:
        threads = sum(client.nthreads().values())
        if not threads:
            raise BadInput("the cluster must have a worker", "none", f"start one with: dask worker {address}")
        yield client.get_executor(pure=False), threads
