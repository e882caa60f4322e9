"""A server for the whole run, and a sandbox of its own for each test."""
import json
import os
import subprocess

import pytest
import requests

SERVER = os.environ.get("UNDERSTUDY_COMMAND", "npx gateway-understudy").split()


@pytest.fixture(scope="session")
def gateway():
    """Where the control API is: http://127.0.0.1:4141/__understudy"""
    process = subprocess.Popen([*SERVER, "--port", "0", "--json", "--quiet"], stdout=subprocess.PIPE)
    ready = json.loads(process.stdout.readline())
    yield ready["url"] + "/__understudy"
    process.terminate()
    process.wait()


@pytest.fixture
def sandbox(gateway):
    """{ id, apiKey, baseUrl }: requests with this key, or below this address, see this sandbox alone."""
    made = requests.post(f"{gateway}/sandboxes").json()["data"]
    made["control"] = f"{gateway}/sandboxes/{made['id']}"
    yield made
    requests.delete(made["control"])
