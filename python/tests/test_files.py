"""Manifests, by the command that the wheel has."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import wegman
from wegman import files


@pytest.fixture
def place(tmp_path: Path) -> Path:
    files.keygen("key", cwd=tmp_path)
    (tmp_path / "photos").mkdir()
    for name in ("a.jpg", "b.jpg", "-c.jpg", "d d\n.jpg", os.fsdecode(b"\xff.jpg")):
        (tmp_path / "photos" / name).write_bytes(os.fsencode(name))
    return tmp_path


def test_a_tree(place: Path) -> None:
    report = files.tag_tree("photos", "manifest", "key", cwd=place, exclude=["b.*"])
    assert report.ok and report.counts == {"tagged": 4, "unreadable": 0}
    report = files.tag_tree("photos", "manifest", "key", cwd=place)
    assert report.ok and {file.name for file in report.files} == {
        "photos/" + name for name in os.listdir(place / "photos")
    }
    assert all(file.tag is not None and len(file.tag) == 16 for file in report.files)
    report = files.check("manifest", place / "key", cwd=place)
    report.verify()
    assert report.counts["ok"] == 5
    assert files.check("manifest", "key", ["photos/-c.jpg"], cwd=place).counts["ok"] == 1

    photos = place / "photos"
    (photos / "a.jpg").write_text("changed")
    (photos / "b.jpg").rename(photos / "e.jpg")
    (photos / "new").touch()
    report = files.check("manifest", "key", cwd=place)
    assert not report.ok
    assert {file.name: file.status for file in report.files if file.status != "ok"} == {
        "photos/a.jpg": "failed",
        "photos/b.jpg": "missing",
    }
    with pytest.raises(wegman.InvalidTag, match="1 failed, 1 missing"):
        report.verify()
    report = files.audit("photos", "manifest", "key", cwd=place)
    assert not report.ok
    assert {(file.name, file.status, file.moved_to) for file in report.files} == {
        ("photos/a.jpg", "changed", None),
        ("photos/b.jpg", "moved", "photos/e.jpg"),
        ("photos/new", "new", None),
    }


def test_a_manifest_that_was_edited_is_refused(place: Path) -> None:
    files.tag_tree("photos", "manifest", "key", cwd=place)
    manifest = place / "manifest"
    manifest.write_bytes(manifest.read_bytes().replace(b"a.jpg", b"z.jpg"))
    for refuse in (
        lambda: files.check("manifest", "key", cwd=place),
        lambda: files.audit("photos", "manifest", "key", cwd=place),
    ):
        with pytest.raises(wegman.InvalidTag, match="seal"):
            refuse()


def test_what_is_not_there(place: Path) -> None:
    for wrong in (
        lambda: files.check("manifest", "key", cwd=place),
        lambda: files.check("manifest", "nokey", cwd=place),
        lambda: files.audit("photos", "manifest", "key", cwd=place),
        lambda: files.keygen("key", cwd=place),
        lambda: files.keygen("other", "UMAC-65", cwd=place),
    ):
        with pytest.raises(files.Error, match="key|manifest|UMAC-65"):
            wrong()
    assert not files.tag_tree("nothere", "manifest", "key", cwd=place).ok


def test_the_module_is_the_command(place: Path) -> None:
    command = [sys.executable, "-P", "-m", "wegman", "mac", "PMAC-AES128", "--key-hex-file", "hex", "photos/a.jpg"]
    (place / "hex").write_text("000102030405060708090a0b0c0d0e0f")
    (place / "hex").chmod(0o600)
    said = subprocess.check_output(command, cwd=place, text=True)
    assert str(wegman.Pmac(bytes(range(16))).tag(b"a.jpg")) in said
