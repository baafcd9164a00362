"""Folders that are made once: a key and a function that fills a folder -> the filled folder.

A folder is filled under a temporary name and then renamed, so what stands under its key is
complete. A lock on the key lets one process do the work while the others wait; it is the
kernel's, so it goes with a process that is killed. Where locks do not work (some network file
systems) both do the work and the first rename wins.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

UNFINISHED = "unfinished-"  # prefix of temporary folders
FAILED = "failed"
LOCKS = "locks"
DAY = 24 * 3600.0


def root() -> Path:
    """Where the folders are: FLEXGEN_CACHE, or `flexgen` in the user's cache folder."""
    given = os.environ.get("FLEXGEN_CACHE")
    if given:
        return Path(given).expanduser().absolute()
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser().absolute() / "flexgen"


def digest(parts: Iterable[str]) -> str:
    """Key of what depends on `parts` alone, 32 hexadecimal digits."""
    code = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode()
        code.update(f"{len(data)}:".encode())  # the bounds count: ("ab", "c") is not ("a", "bc")
        code.update(data)
    return code.hexdigest()


def obtain(key: str, fill: Callable[[Path], None]) -> Path:
    """The folder of `key`, filled by `fill(folder)` if it is not there yet.

    If `fill` raises, nothing is left under the key. OSError where the cache cannot be written.
    """
    top = root()
    folder = top / key
    if folder.is_dir():
        return folder
    for place in (top, top / LOCKS):
        place.mkdir(parents=True, exist_ok=True)
    with _locked(top / LOCKS / key):
        if folder.is_dir():  # made by another process while this one waited
            return folder
        sweep(top)
        with tempfile.TemporaryDirectory(
            prefix=UNFINISHED, dir=top, ignore_cleanup_errors=True
        ) as made:
            work = Path(made) / "folder"
            work.mkdir()
            fill(work)
            publish(work, folder)
    return folder


def publish(work: Path, folder: Path) -> None:
    """Rename `work` to `folder`; where another process was first, its folder stays."""
    try:
        work.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise


def discard(key: str) -> None:
    """Forget a folder that proved unusable."""
    with contextlib.suppress(FileNotFoundError):
        grave = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=root()))
        (root() / key).rename(grave / "folder")  # gone at once, whatever the removal takes
        shutil.rmtree(grave, ignore_errors=True)


def keep_failed(key: str, files: Iterable[Path]) -> Path:
    """Copies of `files` of a failed attempt for the user to look at; the folder they are in."""
    folder = root() / FAILED / key
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        shutil.copy(file, folder / file.name)
    os.utime(folder)
    return folder


def sweep(top: Path) -> None:
    """Remove what killed processes left behind, and failed attempts, a day later."""
    now = time.time()
    for stale in sorted([*top.glob(f"{UNFINISHED}*"), *top.glob(f"{FAILED}/*")]):
        with contextlib.suppress(OSError):
            if now - stale.stat().st_mtime > DAY:
                shutil.rmtree(stale, ignore_errors=True)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("a") as file:
        with contextlib.suppress(OSError):  # no locks here: the first rename wins
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
