"""python -m wegman: the command."""

import os
import sys

from wegman._command import command

try:
    path = command()
except FileNotFoundError as error:
    sys.exit(f"wegman: {error}")
os.execv(path, [path, *sys.argv[1:]])
