"""A release: its version everywhere, and the files that are uploaded.

    python .ci/release.py 0.3.0    write the version and the date of today, and gather changes/ in CHANGELOG.md
    python .ci/release.py          build dist/ from the commit, look at it, and print sizes and the command that uploads

The version stands in symcook/__init__.py, the authors and links in pyproject.toml; CITATION.cff repeats them.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import changelog
from package import ROOT

UPLOAD = "python -m twine upload dist/*"


def read(root: Path, name: str) -> str:
    return (root / name).read_text(encoding="utf-8")


def write(root: Path, name: str, pattern: str, line: str) -> None:
    """Replace the one line of a file that the pattern describes. SystemExit where there is not just one."""
    text, count = re.subn(rf"(?m)^{pattern}$", lambda _: line, read(root, name))
    if count != 1:
        raise SystemExit(f"{name} must have one line {pattern}; it has {count}")
    (root / name).write_text(text, encoding="utf-8", newline="\n")


def version_of(root: Path) -> str:
    return re.findall(r'(?m)^__version__ = "([\d.]+)"$', read(root, "symcook/__init__.py"))[0]


def project(root: Path) -> dict[str, Any]:
    return tomllib.loads(read(root, "pyproject.toml"))["project"]


def problems(root: Path) -> Iterator[str]:
    """What disagrees about the version, the authors and the links."""
    version, citation = version_of(root), read(root, "CITATION.cff")
    if f"\nversion: {version}\n" not in citation:
        yield f"CITATION.cff must have the version {version}, as symcook/__init__.py has"
    released = re.findall(r"(?m)^## (\d[\d.]*) - ([\d-]+)$", read(root, "CHANGELOG.md"))
    if not released or released[0][0] != version:
        yield f"the newest version of CHANGELOG.md must be {version}, as in symcook/__init__.py"
    elif f"\ndate-released: {released[0][1]}\n" not in citation:
        yield f"CITATION.cff must have the date {released[0][1]}, as CHANGELOG.md has"
    told = project(root)
    for author in told["authors"]:
        for name in ("CITATION.cff", "paper/paper.md"):
            if f'"{author["name"]}"' not in read(root, name):
                yield f'{name} must name the author "{author["name"]}", as pyproject.toml does'
    address = told.get("urls", {}).get("Repository")
    cited = re.findall(r'(?m)^repository-code: "(.+)"$', citation)
    if cited != ([address] if address else []):
        yield f"CITATION.cff must have repository-code {address or 'nowhere'}, as pyproject.toml has"


def set_version(version: str, root: Path = ROOT) -> int:
    """Write the version and the date, and gather the changes."""
    if re.fullmatch(r"\d+\.\d+\.\d+", version) is None:
        raise SystemExit(f"a version must be three numbers with dots between; given: {version}")
    write(root, "symcook/__init__.py", r'__version__ = ".*"', f'__version__ = "{version}"')
    write(root, "CITATION.cff", r"version: .*", f"version: {version}")
    write(root, "CITATION.cff", r"date-released: .*", f"date-released: {date.today().isoformat()}")
    return changelog.main([version], root)


def contents(path: Path) -> dict[str, int]:
    """{file of a wheel or sdist: its bytes}; of an sdist without the folder that has its name."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return {entry.filename: entry.file_size for entry in wheel.infolist()}
    with tarfile.open(path) as packed:
        return {entry.name.partition("/")[2]: entry.size for entry in packed if entry.isfile()}


def table(path: Path) -> str:
    """The size of a file, and a line for each of its folders: files, bytes."""
    files, depth = contents(path), 2 if path.suffix == ".whl" else 1
    count, size = Counter[str](), Counter[str]()
    for name, length in files.items():
        parts = name.split("/")
        folder = "/".join(parts[:depth]) if len(parts) > depth else "/".join(parts[: depth - 1]) or "files at the top"
        count[folder] += 1
        size[folder] += length
    rows = [f"  {folder:<32} {count[folder]:>6,} files {size[folder]:>12,} bytes" for folder, _ in size.most_common()]
    packed = f"{path.name}: {path.stat().st_size:,} bytes packed, {sum(files.values()):,} unpacked"
    return "\n".join([packed, *rows])


def missing(root: Path, wheel: Path, sdist: Path) -> list[str]:
    """The committed files that the wheel or the sdist must have and has not, and what the wheel has besides."""
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, encoding="utf-8"
    ).stdout.strip("\0").split("\0")  # fmt: skip
    wanted = {one for one in tracked if one.startswith("symcook/")} | {"symcook/data/list.txt"}
    wanted |= {f"symcook/_{one}" for one in tracked if one.startswith("proofs/")}
    packed = {one for one in contents(wheel) if ".dist-info/" not in one}
    said = [f"{wheel.name} must have {one}" for one in sorted(wanted - packed)]
    said += [f"{wheel.name} must not have {one}" for one in sorted(packed - wanted)]
    return said + [f"{sdist.name} must have {one}" for one in sorted({*tracked} - {*contents(sdist)})]


def build(root: Path = ROOT) -> int:
    """Build into an empty dist/, and say what it has."""
    dirty = subprocess.run(
        ["git", "status", "--porcelain"], cwd=root, check=True, capture_output=True, encoding="utf-8"
    ).stdout  # fmt: skip
    found = [f"the checkout must be as committed; differs: {dirty.split()[1]}"] if dirty else [*problems(root)]
    if not found:
        target = root / "dist"
        for old in target.glob("*"):
            old.unlink()
        subprocess.run([sys.executable, "-m", "build", "-q", "--no-isolation", "--outdir", target, root], check=True)
        (wheel,), (sdist,) = target.glob("*.whl"), target.glob("*.tar.gz")
        print(table(wheel), table(sdist), sep="\n")
        found = missing(root, wheel, sdist)
    print(*found, sep="\n", end="\n" if found else "")
    if not found:
        links = project(root).get("urls")
        print(f"upload: {UPLOAD}" if links else "not yet to be uploaded: [project.urls] of pyproject.toml is empty")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit("usage: python .ci/release.py [VERSION]")
    sys.exit(set_version(sys.argv[1]) if sys.argv[1:] else build())
