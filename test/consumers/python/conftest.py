"""A server for the whole run, and a sandbox of its own for each test."""
import json
import subprocess

import pytest
import requests

# The server stops when its stdin closes: at the end of the run, and when pytest is interrupted or killed.
COMMAND = "npx gateway-understudy --port 0 --json --quiet --stop-with-stdin"


@pytest.fixture(scope="session")
def gateway():
    """Where the control API is: http://127.0.0.1:4141/__understudy"""
    with subprocess.Popen(COMMAND.split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        ready = json.loads(process.stdout.readline())
        yield ready["url"] + "/__understudy"


@pytest.fixture
def sandbox(gateway):
    """{ id, apiKey, baseUrl }: requests with this key, or below this address, see this sandbox alone."""
    made = requests.post(f"{gateway}/sandboxes").json()["data"]
    made["control"] = f"{gateway}/sandboxes/{made['id']}"
    yield made
    requests.delete(made["control"])
