"""The cache: what is published is whole, whoever was killed or came second."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from flexgen import cache


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FLEXGEN_CACHE", str(tmp_path / "own"))
    return tmp_path / "own"


def test_a_fill_that_fails_leaves_nothing(own_cache):
    def fill(folder):
        (folder / "half").touch()
        raise RuntimeError("half-way")

    with pytest.raises(RuntimeError, match="half-way"):
        cache.obtain("key", fill)
    assert [p.name for p in own_cache.iterdir()] == [cache.LOCKS]
    assert cache.obtain("key", lambda folder: (folder / "whole").touch()).name == "key"
    assert [p.name for p in (own_cache / "key").iterdir()] == ["whole"]


def test_what_a_killed_process_left_is_ignored_and_removed_a_day_later(own_cache):
    fresh, stale = own_cache / f"{cache.UNFINISHED}new", own_cache / f"{cache.UNFINISHED}old"
    for folder in (fresh, stale):
        (folder / "folder").mkdir(parents=True)
    before = time.time() - 25 * 3600
    os.utime(stale, (before, before))
    cache.obtain("key", lambda folder: None)
    assert fresh.exists() and not stale.exists()


def test_the_first_of_two_who_do_not_see_each_other_wins(own_cache):
    def fill(folder):
        (folder / "mine").touch()
        (own_cache / "key").mkdir()
        (own_cache / "key" / "theirs").touch()

    folder = cache.obtain("key", fill)
    assert [p.name for p in folder.iterdir()] == ["theirs"]


def test_a_key_depends_on_where_its_parts_end():
    assert cache.digest(["ab", "c"]) != cache.digest(["a", "bc"])
    assert cache.digest(["ab", "c"]) == cache.digest(["ab", "c"])


def test_the_cache_is_where_the_environment_says(monkeypatch):
    monkeypatch.setenv("FLEXGEN_CACHE", "/here")
    assert cache.root() == Path("/here")
    monkeypatch.delenv("FLEXGEN_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/there")
    assert cache.root() == Path("/there/flexgen")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache.root() == Path("~/.cache/flexgen").expanduser()
