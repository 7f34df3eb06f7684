"""One tag for an object that no machine can read alone, and manifests of buckets: on the threads of a machine, or on a Dask cluster.

    from wegman import cluster

    report = cluster.tag("s3://bucket/photos", "key", "photos.manifest")       # the same tags as `wegman tag`
    report = cluster.check("s3://bucket/photos", "photos.manifest", "key")
    if not report.ok:
        print(report.counts)

    client = distributed.Client("tls://scheduler:8786", security=...)
    report = cluster.tag("s3://bucket", "key", "s3://meta/run/", client=client, state="run.state")      # shards under a root

Credentials and endpoints of stores are in the environment of each machine (AWS_*, GOOGLE_*, AZURE_*), as obstore's pages say. The workers
of Dask find the key by WEGMAN_KEY. docs/cluster.md has the rest. It needs `pip install "wegman[cluster]"`.
"""

from importlib.util import find_spec

if find_spec("obstore") is None:
    raise ModuleNotFoundError('obstore is not installed: `pip install "wegman[cluster]"`', name="obstore")

from wegman.cluster._coordinator import Options, Progress
from wegman.cluster._engines import ClusterError
from wegman.cluster._manifests import ManifestError
from wegman.cluster._objects import Object
from wegman.cluster._runs import Outcome, Plan, Report, Setup, Uploaded, check, plan, retag, tag, upload, workers
from wegman.cluster._sources import Problem
from wegman.cluster._state import StateError

__all__ = [
    "ClusterError",
    "ManifestError",
    "Object",
    "Options",
    "Outcome",
    "Plan",
    "Problem",
    "Progress",
    "Report",
    "Setup",
    "StateError",
    "Uploaded",
    "check",
    "plan",
    "retag",
    "tag",
    "upload",
    "workers",
]
