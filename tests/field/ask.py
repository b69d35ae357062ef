"""What Hermes Agent answers of names, line by line: ask.py blocked|markers|providers, ask.py internal NAME..."""

import sys

# The two tables of providers and settings come in by imports that may fail silently, and then most names would be missing: so they
# are imported here first, where a failure is one.
import hermes_cli.auth
import hermes_cli.config
from tools.environments import local

what, names = sys.argv[1], sys.argv[2:]
if what == "blocked":
    found = local._HERMES_PROVIDER_ENV_BLOCKLIST | local._ALWAYS_STRIP_KEYS
elif what == "markers":
    found = local._ACTIVE_VENV_MARKER_VARS
elif what == "internal":
    found = [name for name in names if local._is_hermes_internal_secret(name)]
elif what == "providers":
    found = [name for provider in hermes_cli.auth.PROVIDER_REGISTRY.values() for name in provider.api_key_env_vars]
print("\n".join(sorted(set(found))))
