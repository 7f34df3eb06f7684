"""docs/cluster.md's commands run as they stand, and what it hands out is valid."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

DOCS = Path(__file__).parents[3] / "docs"


def test_commands(tmp_path: Path) -> None:
    (block,) = re.findall(r"```sh\n(.*?)```", (DOCS / "cluster.md").read_text(), re.DOTALL)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-eux"], input=block, cwd=tmp_path, env={**os.environ, "PATH": path}, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "b: changed" in done.stdout and "b: OK" in done.stdout and "2 objects, 4 bytes, 2 requests" in done.stderr


@pytest.mark.filterwarnings("ignore")
def test_kubernetes() -> None:
    documents = list(yaml.safe_load_all((DOCS / "cluster/kubernetes.yaml").read_text()))
    assert [document["kind"] for document in documents] == ["Service", "Deployment", "Deployment"]
    for document in documents:
        kubernetes_validate.validate(document, "1.37", strict=True)
        wrong = {**document, "spec": {**document["spec"], "replikas": 1}}
        with pytest.raises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(wrong, "1.37", strict=True)


def test_unit(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        if os.environ.get("CI"):
            pytest.fail("systemd-analyze is not here")
        pytest.skip("systemd-analyze is not here")
    unit = (DOCS / "cluster/wegman-worker.service").read_text()
    # The program is on the workers, not here.
    place = tmp_path / "wegman-worker.service"
    place.write_text(unit.replace("/opt/wegman/bin/dask", sys.executable))
    done = subprocess.run([analyze, "verify", place], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "wegman" not in done.stderr, done.stderr
