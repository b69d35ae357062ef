"""Takes the code out of a venv into a checkout, as an editable installation has it: editable.py PACKAGES CHECKOUT SEEN. A command
sees the checkout at SEEN."""

import pathlib
import sys

packages, checkout = map(pathlib.Path, sys.argv[1:3])
checkout.mkdir(parents=True, exist_ok=True)
info = next(packages.glob("hermes_agent-*.dist-info"))
rows = (info / "RECORD").read_text().splitlines()
tops = {row.split(",")[0].split("/")[0] for row in rows} - {"..", "__pycache__", info.name}
for top in sorted(tops):
    (packages / top).rename(checkout / top)
(packages / "__editable__.hermes_agent.pth").write_text(f"{sys.argv[3]}\n")
left = [row for row in rows if row.startswith(("../", info.name + "/"))]
(info / "RECORD").write_text("\n".join(left + ["__editable__.hermes_agent.pth,,", ""]))
(checkout / "pyproject.toml").write_text('[project]\nname = "hermes-agent"\nversion = "0.19.0"\n')
