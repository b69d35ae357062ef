"""Carries out what an agent types, in one terminal of Hermes' own: terminal.py TYPED PROJECT HOME RECORDS WRAPPER. Loads the profile's
`.env` and prints TYPED with what came of it: `{} ` is WRAPPER, the project `@`, and HOME `~`. Programs are recorded in RECORDED once the
login shell is over, which is Hermes' own. Whether this machine is a container, where Hermes redirects HOME itself, is told and not
looked for. The listing of the venv is not to change by this program's imports."""

import os
import sys

sys.dont_write_bytecode = True
import hermes_constants

hermes_constants._container_detected = False
from hermes_cli.env_loader import load_hermes_dotenv

load_hermes_dotenv()
from tools.environments.local import LocalEnvironment

typed, project, home, records, wrapper = sys.argv[1:]
terminal = LocalEnvironment(cwd=project, timeout=120)
os.mkdir(records)
lines = [line for line in open(typed).read().splitlines() if line[:2] in ("$ ", "> ", "# ")]
while lines:
    command = [lines.pop(0)]
    while lines and lines[0].startswith("> "):
        command.append(lines.pop(0))
    print(*command, sep="\n")
    if command[0].startswith("# "):
        continue
    ended = terminal.execute("\n".join(line[2:] for line in command).replace("{} ", wrapper))
    output = ended["output"].rstrip().replace(project, "@").replace(home, "~")
    if output:
        print(output)
    if ended["returncode"]:
        print("?", ended["returncode"])
terminal.cleanup()
