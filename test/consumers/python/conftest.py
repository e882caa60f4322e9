"""Starts a server for the test run, and creates a sandbox for each test."""
import json
import subprocess

import pytest
import requests

# The server stops when its stdin closes: at the end of the run, and when pytest is interrupted or killed.
COMMAND = "npx gateway-understudy --port 0 --json --quiet --stop-on-stdin-close"


@pytest.fixture(scope="session")
def gateway():
    """Base URL of the control API, such as http://127.0.0.1:4141/__understudy."""
    with subprocess.Popen(COMMAND.split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        ready = json.loads(process.stdout.readline())
        yield ready["url"] + "/__understudy"


@pytest.fixture
def sandbox(gateway):
    """A new sandbox's id, apiKey, baseUrl and control URL. Requests select the sandbox by key or by base URL."""
    created = requests.post(f"{gateway}/sandboxes").json()["data"]
    created["control"] = f"{gateway}/sandboxes/{created['id']}"
    yield created
    requests.delete(created["control"])
