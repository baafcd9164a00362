"""Files that are written whole or not at all."""

import os

import pytest

from flexgen.whole import whole


def test_a_file_appears_at_the_end_and_follows_links(tmp_path):
    target, link = tmp_path / "kept.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    with whole(link) as file:
        file.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new" and link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["kept.txt", "link.txt"]


def test_after_an_error_all_is_as_before(tmp_path):
    target = tmp_path / "kept.txt"
    target.write_text("old")
    with pytest.raises(ZeroDivisionError), whole(target) as file:
        file.write_text("half")
        1 / 0  # noqa: B018
    assert target.read_text() == "old" and os.listdir(tmp_path) == ["kept.txt"]


def test_what_is_no_file_is_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with whole(pipe) as file:
        assert file == pipe
    assert pipe.is_fifo()
