"""Failed sign-ins are counted within a window, by code and by address."""

from equipoise.study.desk import attempts
from equipoise.study.desk.attempts import Attempts

KEYS = {"code": "a", "address": "192.0.2.1"}


def counted():
    return Attempts({"code": 3, "address": 5}, 60.0)


def test_the_window_moves():
    found = counted()
    for now in (0.0, 10.0, 20.0):
        assert found.wait(KEYS, now) == 0
        found.failed(KEYS, now)
    assert found.wait(KEYS, 20.0) == 41
    assert found.wait(KEYS, 59.5) == 1
    assert found.wait(KEYS, 60.0) == 0


def test_a_right_sign_in_clears_the_code_and_not_the_address():
    found = counted()
    for now in range(3):
        found.failed(KEYS, float(now))
    found.right("code", "a")
    assert found.wait(KEYS, 3.0) == 0
    for code in "bc":
        found.failed({"code": code, "address": "192.0.2.1"}, 4.0)
    assert found.wait({"code": "d", "address": "192.0.2.1"}, 5.0) > 0
    assert found.wait({"code": "d", "address": "192.0.2.2"}, 5.0) == 0


def test_the_memory_has_an_end(monkeypatch):
    monkeypatch.setattr(attempts, "_MOST", 10)
    found = counted()
    for number in range(100):
        found.failed({"code": f"c{number}"}, 0.0)
    assert len(found._failed) == 10
