"""One tag for an object that no machine can read alone, and manifests of buckets: on the threads of a machine, or on a Dask cluster.

    from wegman import cluster

    report = cluster.tag("s3://bucket/photos", "key", "photos.manifest")       # the same tags as `wegman tag`
    report = cluster.check("s3://bucket/photos", "photos.manifest", "key")
    if not report.ok:
        print(report.counts)

    client = distributed.Client("tls://scheduler:8786", security=...)
    report = cluster.tag("s3://bucket", "key", "s3://meta/run/", client=client, state="run.state")      # shards under a root

Credentials and endpoints of stores are those of each machine's own tools. The workers of Dask find the key by WEGMAN_KEY.
docs/cluster.md has the rest. It needs `pip install "wegman[cluster]"`.
"""

from importlib.util import find_spec

for _name in ("obstore", "boto3"):
    if find_spec(_name) is None:
        raise ModuleNotFoundError(f'{_name} is not installed: `pip install "wegman[cluster]"`', name=_name)

from wegman.cluster._coordinator import ClusterError, Options, Outcome, Report
from wegman.cluster._journal import StateError
from wegman.cluster._places import ManifestError
from wegman.cluster._runs import Setup, check, plan, retag, tag, upload, workers
from wegman.cluster._store import Object, Problem

__all__ = [
    "ClusterError", "ManifestError", "Object", "Options", "Outcome", "Problem", "Report", "Setup", "StateError", "check", "plan",
    "retag", "tag", "upload", "workers",
]  # fmt: skip
