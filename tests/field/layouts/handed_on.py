"""The environment of a start, built by Hermes itself: handed_on.py FIRST PYTHONPATH. Puts into the environment what its service
file for the gateway would, and then what the launcher or the image puts first on PATH, and prints what the function of its
terminal makes of it, as `env -0` does."""

import os
import sys

first, pythonpath = sys.argv[1:]
from hermes_cli import gateway
from tools.environments import local

for line in gateway.generate_systemd_unit().splitlines():
    if line.startswith("Environment="):
        name, value = line.removeprefix("Environment=").strip('"').split("=", 1)
        os.environ[name] = value
assert os.environ["VIRTUAL_ENV"] == sys.prefix, "the gateway has the marker"
os.environ["PATH"] = first + os.environ["PATH"]
if pythonpath:
    os.environ["PYTHONPATH"] = pythonpath
sys.stdout.write("".join(f"{name}={value}\0" for name, value in local._make_run_env({}).items()))
