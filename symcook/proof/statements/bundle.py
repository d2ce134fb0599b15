"""A proof for others: a folder with a statement, its certificate, the lemmas that it cites and the checker, which one
command checks with Python alone."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symcook.errors import BadInput
from symcook.files import ordinary
from symcook.proof import replay
from symcook.proof.replay import Statement
from symcook.proof.statements import certify

_README = """Statement    {said}
Status       {status} (the certificate has the sense "{sense}")
Check        {command}

The command needs Python 3.11 or newer and nothing else. It prints one line for each certificate and exits with 0 if it
rejects none. Among the lines is "{word:<8} {id}".

What is {sense} is the formula on the line "statement:" of [{id}] in statement.txt. All definitions are written
out there, and so are the equations of the model{model}.
checker.py is proofs/checker.py of symcook {version}; its sha256 is
{checker}
"""


def vacant_folder(folder: str) -> Path:
    """The path of a folder that does not exist yet; BadInput for any other name."""
    path = ordinary(folder, "a bundle", "proof-for-others")
    if path.exists() or not path.parent.is_dir():
        must = "a bundle must be a new folder in a folder that exists"
        raise BadInput(must, folder, "give another name, for example proof-for-others")
    return path


def write_bundle(folder: Path, statement: Statement, certificate: Mapping[str, Any]) -> list[str]:
    """Write the bundle of a certificate as the new `folder`, completely or not at all. Returns the words of the command
    that checks it there."""
    import shutil
    import tempfile

    files = contents(statement, certificate)
    made = Path(tempfile.mkdtemp(prefix=f".{folder.name[:100]}.", dir=folder.parent))
    try:
        for name, content in files.items():
            (made / name).parent.mkdir(exist_ok=True)
            (made / name).write_bytes(content)
        made.chmod(0o755)
        try:
            os.rename(made, folder)
        except OSError as error:
            raise BadInput("a bundle must be a new folder", folder, error.strerror) from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(made)
    return command(files)


def command(files: Mapping[str, bytes]) -> list[str]:
    """The words of the command that checks a bundle with these files, in its folder."""
    lemmas = ["lemmas"] if any(name.startswith("lemmas/") for name in files) else []
    return ["python3", "-I", "-S", "checker.py", "statement.txt", "proof.json", *lemmas]


def contents(statement: Statement, certificate: Mapping[str, Any]) -> dict[str, bytes]:
    """The files of a bundle, by name."""
    from symcook import __version__

    home = replay.library()
    files = {
        "statement.txt": certify.expanded(statement, certificate).encode(),
        "proof.json": (json.dumps(certificate) + "\n").encode(),
        "checker.py": (home.root / "checker.py").read_bytes(),
    }
    for name in certify.below(certificate):  # an assumption has no certificate
        if (path := home.root / "certificates" / f"{name}.json").is_file():
            files[f"lemmas/{name}.json"] = path.read_bytes()
    word = certificate["sense"].upper()
    files["README.txt"] = _README.format(
        said=statement.note or statement.id, status=word, sense=certificate["sense"], word=word, id=statement.id,
        command=" ".join(command(files)), version=__version__, checker=hashlib.sha256(files["checker.py"]).hexdigest(),
        model="" if statement.model is None else f" with the hash\n{statement.model}",
    ).encode()  # fmt: skip
    return files
