"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A file to write to, which takes the place of `path` at the end and is gone after an error.

    A link is followed; what is no file, such as a device, is written to as it is.
    """
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        yield target
        return
    handle, name = tempfile.mkstemp(
        dir=target.parent, prefix=f".{target.stem}.", suffix=target.suffix
    )
    os.close(handle)
    try:
        yield Path(name)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise
