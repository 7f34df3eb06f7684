"""`python -m wegman.cluster` is the command `wegman-cluster`."""

from wegman._cluster import main

main()
