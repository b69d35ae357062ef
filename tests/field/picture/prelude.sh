# The environment of Hermes' gateway, in the project: `keys` in /box says whether it has some.
unset ANTHROPIC_API_KEY
[ ! -e "$dir/keys" ] || export ANTHROPIC_API_KEY=sk-ant-made-up GITHUB_TOKEN=ghp_made-up
[ ! -d "$venv" ] || export VIRTUAL_ENV=$venv UV_PROJECT_ENVIRONMENT=$venv PATH=$venv/bin:$PATH UV_OFFLINE=1 UV_CACHE_DIR=$dir/uv-cache
