import requests


def ask(sandbox, text):
    return requests.post(
        f"{sandbox['baseUrl']}/responses",
        headers={"authorization": f"Bearer {sandbox['apiKey']}"},
        json={"model": "aurora/dawn-2", "input": text},
    )


def test_recovers_from_a_failure(sandbox):
    rule = {"on": "createResponse", "times": 1, "fault": {"name": "status", "status": 503}}
    requests.post(f"{sandbox['control']}/scenarios", json=rule).raise_for_status()
    assert [ask(sandbox, "Hello").status_code for _ in range(2)] == [503, 200]


def test_scripts_a_reply_and_reads_the_request(sandbox):
    rule = {"on": "createResponse", "reply": {"text": "Tides follow the moon."}}
    requests.post(f"{sandbox['control']}/scenarios", json=rule).raise_for_status()
    output = ask(sandbox, "Why tides?").json()["output"]
    assert output[0]["content"][0]["text"] == "Tides follow the moon."
    [call] = requests.get(f"{sandbox['control']}/journal").json()["data"]
    assert call["body"]["input"] == "Why tides?"
