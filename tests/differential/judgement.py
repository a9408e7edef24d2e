# SPDX-License-Identifier: MIT
"""Whether the back end saw what the proxy sent.

On each connection between a proxy and the back end the nth answer must be to the nth request that the proxy says it
wrote, and say the method, target and body that the proxy's log has for it. Findings are

  unasked      an answer that the proxy wrote no request for: one was smuggled past it
  another      an answer to another request than the one at its place
  different    the back end saw another method, target or body than the proxy sent
  beyond       an answer after one that ends the connection
  unanswered   more than one request without an answer, or one for which the back end let the proxy wait in vain
  company      the back end refused a request that it does not refuse when it is alone: other bytes got into it
  unknown      a request was answered with success and never on a connection
"""

import collections
import dataclasses

import proxies

TIMED_OUT = (502, 504)  # what a proxy answers whose back end fails it


@dataclasses.dataclass
class Finding:
    kind: str
    what: str
    ids: tuple  # of the requests to look at


def judge_answer(answer, request_id, sent):
    """Of the answer to that request; None if all is well."""
    if answer["seen"] is None:
        return None  # refused, or answered by the server itself
    seen_id, method, size, crc, target = answer["seen"].split(" ", 4)
    if seen_id != request_id:
        return Finding("another", answer["seen"], (request_id, seen_id))
    seen = (method, size, crc, target) if sent.body else (method, target)
    if seen != sent.seen():
        return Finding("different", f"saw {seen}, sent {sent.seen()}", (request_id,))
    return None


def judge_connection(connection, log):
    ids = [request_id for request_id in connection["ids"] if request_id in log]
    answers = connection["answers"]
    findings = []
    for number, answer in enumerate(answers):
        if number >= len(ids):
            findings.append(Finding("unasked", f"{answer} behind {connection['end']}", tuple(ids[-1:])))
            break
        if number > 0 and answers[number - 1]["closes"]:
            findings.append(Finding("beyond", str(answer), tuple(ids[number - 1 : number + 1])))
        if finding := judge_answer(answer, ids[number], log[ids[number]]):
            findings.append(finding)
    left = ids[len(answers) :]
    ended = bool(answers) and answers[-1]["closes"]  # then the proxy's next request crossed our end
    if len(left) > 1 or (left and log[left[0]].status in TIMED_OUT and not ended):
        findings.append(Finding("unanswered", f"status {log[left[0]].status}", tuple(ids[-len(left) - 1 :])))
    return findings


def judge(connections, log):
    """(findings, figures)"""
    findings, figures = [], collections.Counter()
    on_connections = {request_id for connection in connections for request_id in connection["ids"]}
    for request_id, sent in log.items():
        if sent.forwarded and sent.status == 200 and request_id not in on_connections:
            findings.append(Finding("unknown", str(sent), (request_id,)))
    for connection in connections:
        findings += judge_connection(connection, log)
        ids, answers = [i for i in connection["ids"] if i in log], connection["answers"]
        figures["connections"] += 1
        figures["sent"] += len(ids)
        figures["answered"] += sum(answer["seen"] is not None for answer in answers)
        figures["refused"] += sum(answer["seen"] is None for answer in answers)
        figures["given up"] += max(0, len(ids) - len(answers))
        figures["bodies compared"] += sum(
            answer["seen"] is not None and log[i].body is not None for i, answer in zip(ids, answers)
        )
    return findings, figures


def check_samples():
    """Each kind of finding is found, and nothing else is."""
    post = proxies.Sent("127.1.0.0", 200, True, True, "POST", "/", (5, 907060870))
    log = {"a": post, "b": post}
    log |= {"late": dataclasses.replace(post, status=504), "refused": dataclasses.replace(post, status=400)}

    def answer(seen, closes=False):
        return {"status": 400 if seen is None else 200, "seen": seen, "closes": closes}

    a, b = answer("a POST 5 907060870 /"), answer("b POST 5 907060870 /")
    samples = [
        ("each its own", ["a", "b"], [a, b], []),
        ("a client that gave up", ["a", "refused"], [a], []),
        ("an id that is not the proxy's", ["forged", "a"], [a], []),
        ("a refusal at the end", ["a", "b"], [a, answer(None, True)], []),
        ("a refusal, and the next request crossed it", ["a", "b"], [answer(None, True)], []),
        ("one more than was sent", ["a"], [a, b], ["unasked"]),
        ("a refusal of a request that was not sent", ["a"], [a, answer(None, True)], ["unasked"]),
        ("in another order", ["a", "b"], [b, a], ["another", "another"]),
        ("a request of the body", ["a", "b"], [a, answer("- GET 0 0 /hidden"), b], ["another", "unasked"]),
        ("less of the body", ["a"], [answer("a POST 4 1 /")], ["different"]),
        ("another target", ["a"], [answer("a POST 5 907060870 /x")], ["different"]),
        ("more behind the last", ["a", "b"], [answer(None, True), b], ["beyond"]),
        ("the next request was taken for the body", ["a", "b"], [], ["unanswered"]),
        ("silence", ["late"], [], ["unanswered"]),
    ]
    for why, ids, answers, kinds in samples:
        found = judge_connection({"ids": ids, "answers": answers, "end": ""}, log)
        assert [finding.kind for finding in found] == kinds, (why, found)
    assert [finding.kind for finding in judge([], {"a": post})[0]] == ["unknown"]
