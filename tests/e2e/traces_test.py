#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a collector receives from a server with traces: every member of every request, its form and its meaning.

The forms are those of OTLP 1 in JSON: ExportTraceServiceRequest with ids in lower-case hexadecimal digits, numbers of 64
bits as texts, and numbers of enumerators.

Usage: traces_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor.
"""

import http.client
import http.server
import json
import os
import pathlib
import re
import sys
import threading
import time

from server_process import Server

IO = os.environ.get("VOLT_TEST_IO", "auto")
PROGRAM = pathlib.Path(sys.argv[1]) / "traced_server"
SECONDS_MAX = 30
TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT_ID = "00f067aa0ba902b7"
INTERNAL, SERVER, CLIENT = 1, 2, 3
OK, ERROR = 1, 2


def check(condition, what):
    if not condition:
        raise AssertionError(what)


class Collector:
    """Accepts traces; answers each request with the next of `statuses`, and with 200 after the last."""

    def __init__(self, statuses=()):
        self.statuses = list(statuses)
        self.requests = []  # (path, header fields, document, status)
        self.asked = []  # header fields of other requests
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = collector.statuses.pop(0) if collector.statuses else 200
                collector.requests.append((self.path, self.headers, json.loads(body), status))
                self.respond(status, b"{}")

            def do_GET(self):
                collector.asked.append(self.headers)
                self.respond(200, b"other")

            def respond(self, status, body):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                if status != 200:
                    self.send_header("Retry-After", "1")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.uri = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def members(value, form, where):
    """Checks an object's members against {name: form}; a name that ends with '?' may be missing."""
    check(isinstance(value, dict), f"{where} is no object: {value}")
    names = {name.rstrip("?") for name in form}
    check(set(value) <= names, f"{where} has unknown members: {set(value) - names}")
    for name, checker in form.items():
        if name.rstrip("?") in value:
            checker(value[name.rstrip("?")], f"{where}.{name.rstrip('?')}")
        else:
            check(name.endswith("?"), f"{where} lacks {name}")


def matching(pattern):
    def checker(value, where):
        check(isinstance(value, str) and re.fullmatch(pattern, value), f"{where} is {value!r}, not {pattern}")
    return checker


def a(kind):
    return lambda value, where: check(type(value) is kind, f"{where} is {value!r}, not of {kind.__name__}")


def between(least, most):
    def checker(value, where):
        check(type(value) is int and least <= value <= most, f"{where} is {value!r}, not {least} to {most}")
    return checker


def each(checker):
    def check_list(value, where):
        check(isinstance(value, list) and value, f"{where} is no list, or empty: {value}")
        for i, item in enumerate(value):
            checker(item, f"{where}[{i}]")
    return check_list


def objects(form):
    return lambda value, where: members(value, form, where)


def any_value(value, where):
    members(value, {"stringValue?": a(str), "boolValue?": a(bool), "intValue?": matching(r"-?\d+"),
                    "doubleValue?": lambda number, place: check(isinstance(number, (int, float)), place)}, where)
    check(len(value) == 1, f"{where} has not one value: {value}")


UINT32_MAX = 2**32 - 1
ATTRIBUTES = each(objects({"key": matching(r".+"), "value": any_value}))
TIME = matching(r"[1-9]\d{18}")
SPAN_ID = matching(r"(?!0{16})[0-9a-f]{16}")
SPAN = {
    "traceId": matching(r"(?!0{32})[0-9a-f]{32}"), "spanId": SPAN_ID, "parentSpanId?": SPAN_ID, "traceState?": a(str),
    "flags": between(0, UINT32_MAX), "name": matching(r".+"), "kind": between(1, 5), "startTimeUnixNano": TIME,
    "endTimeUnixNano": TIME, "attributes?": ATTRIBUTES, "droppedAttributesCount?": between(1, UINT32_MAX),
    "events?": each(objects({"timeUnixNano": TIME, "name": matching(r".+"), "attributes?": ATTRIBUTES})),
    "droppedEventsCount?": between(1, UINT32_MAX),
    "status": objects({"code?": between(1, 2), "message?": matching(r".+")}),
}
DOCUMENT = {"resourceSpans": each(objects({
    "resource": objects({"attributes": ATTRIBUTES}),
    "scopeSpans": each(objects({"scope": objects({"name": matching("volt"), "version": matching(r"\d+\.\d+\.\d+")}),
                                "spans": each(objects(SPAN))}))}))}


def plain(attributes):
    """{key: value} of a list of attributes, with the values as Python has them."""
    found = {}
    for attribute in attributes:
        check(attribute["key"] not in found, f"{attribute['key']} occurs twice")
        (kind, value), = attribute["value"].items()
        found[attribute["key"]] = int(value) if kind == "intValue" else value
    return found


def spans_of(collector):
    """The spans that were accepted, by name, with their attributes as {key: value}; checks the form of all requests."""
    spans = {}
    for path, _, document, status in collector.requests:
        check(path == "/v1/traces", path)
        members(document, DOCUMENT, "document")
        for resource in document["resourceSpans"] if status == 200 else ():
            for span in (span for scope in resource["scopeSpans"] for span in scope["spans"]):
                start, end = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
                check(abs(start / 1e9 - time.time()) < 3600 and start <= end, f"the times of {span['name']}")
                for event in span.get("events", ()):
                    check(start <= int(event["timeUnixNano"]) <= end, f"the time of an event of {span['name']}")
                spans.setdefault(span["name"], []).append({**span, "attributes": plain(span.get("attributes", ()))})
    return spans


def ask(server, path, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS_MAX)
    try:
        connection.request("GET", path, headers=headers or {})
        return connection.getresponse().read()
    finally:
        connection.close()


def serve(collector, **environment):
    cleared = {name: "" for name in os.environ if name.startswith("OTEL_")}
    return Server(PROGRAM, io=IO, environment={
        **cleared, "OTEL_EXPORTER_OTLP_ENDPOINT": collector.uri, "RELAY_TO": collector.uri + "/other?a=b", **environment})


def traceparent(flags):
    return {"traceparent": f"00-{TRACE_ID}-{PARENT_ID}-{flags}", "tracestate": "vendor=1, other=2", "User-Agent": "test"}


def only(spans, name):
    check(len(spans.get(name, ())) == 1, f"not one span {name}: {sorted(spans)}")
    return spans[name][0]


def test_whole_requests():
    with Collector() as collector:
        with serve(collector, OTEL_EXPORTER_OTLP_HEADERS="api-key=a%20b", OTEL_SERVICE_NAME="shop",
                   OTEL_RESOURCE_ATTRIBUTES="service.version=1.2,deployment.environment.name=test") as server:
            ask(server, "/items/7?secret=1", traceparent("01"))
            ask(server, "/relay", traceparent("01"))
            ask(server, "/fail")
            port = server.port
        spans = spans_of(collector)  # the server has sent the rest when it stopped
        fields = collector.requests[0][1]
        check(fields["Content-Type"] == "application/json" and fields["api-key"] == "a b", fields)
        check("traceparent" not in fields, "the exporter's own requests have no trace")
        resource = plain(collector.requests[0][2]["resourceSpans"][0]["resource"]["attributes"])
        version = resource.pop("telemetry.sdk.version")
        check(re.fullmatch(r"\d+\.\d+\.\d+", version), version)
        check(resource == {"service.name": "shop", "telemetry.sdk.name": "volt", "telemetry.sdk.language": "cpp",
                           "service.version": "1.2", "deployment.environment.name": "test"}, resource)
        check(sorted(spans) == ["GET", "GET /fail", "GET /items/{id}", "GET /relay", "render"], sorted(spans))

        request = only(spans, "GET /items/{id}")
        check((request["traceId"], request["parentSpanId"]) == (TRACE_ID, PARENT_ID), request)
        check(request["traceState"] == "vendor=1,other=2", request)
        check(request["flags"] == 0x301 and request["kind"] == SERVER and request["status"] == {}, request)
        check(request["attributes"] == {
            "http.request.method": "GET", "http.route": "/items/{id}", "url.scheme": "http", "url.path": "/items/7",
            "server.address": "127.0.0.1", "server.port": port, "client.address": "127.0.0.1",
            "network.protocol.version": "1.1", "user_agent.original": "test", "http.response.status_code": 200,
            "http.response.body.size": 4}, request["attributes"])

        render = only(spans, "render")
        check((render["traceId"], render["parentSpanId"]) == (TRACE_ID, request["spanId"]), render)
        check(render["flags"] == 0x101 and render["kind"] == INTERNAL and render["status"] == {"code": OK}, render)
        check(render["attributes"] == {"item.id": 7, "item.name": 'a "pen" \ufffd', "item.price": 0.5,
                                       "item.sold": False}, render["attributes"])
        check([(event["name"], plain(event["attributes"])) for event in render["events"]] ==
              [("cache miss", {"cache.key": "items"})], render["events"])

        sent = only(spans, "GET")
        check((sent["traceId"], sent["parentSpanId"]) == (TRACE_ID, only(spans, "GET /relay")["spanId"]), sent)
        check(sent["kind"] == CLIENT and sent["attributes"] == {
            "http.request.method": "GET", "server.address": "127.0.0.1", "server.port": collector.server.server_port,
            "url.full": collector.uri + "/other", "http.response.status_code": 200}, sent)
        check(collector.asked[0]["traceparent"] == f"00-{TRACE_ID}-{sent['spanId']}-01", collector.asked[0])
        check(collector.asked[0]["tracestate"] == "vendor=1,other=2", collector.asked[0])

        failed = only(spans, "GET /fail")
        check("parentSpanId" not in failed and failed["flags"] == 0x103, failed)
        check(failed["status"] == {"code": ERROR} and failed["attributes"]["error.type"] == "500", failed)
        (exception,) = failed["events"]
        check(exception["name"] == "exception" and plain(exception["attributes"]) ==
              {"exception.type": "std::runtime_error", "exception.message": "decided by the test"}, exception)


def test_sampling():
    with Collector() as collector:
        with serve(collector, OTEL_TRACES_SAMPLER="parentbased_always_off") as server:
            ask(server, "/relay")
            ask(server, "/relay", traceparent("00"))
            ask(server, "/items/1", traceparent("01"))
        spans = spans_of(collector)
        check(sorted(spans) == ["GET /items/{id}", "render"], sorted(spans))
        first, second = (asked["traceparent"].split("-") for asked in collector.asked)
        check(first[3][1] in "02" and first[1] != TRACE_ID, first)  # not sampled
        check(second[1] == TRACE_ID and second[2] != PARENT_ID and second[3] == "00", second)


def test_overloaded_collector():
    with Collector(statuses=[503, 429]) as collector:
        with serve(collector, OTEL_SERVICE_NAME="shop") as server:
            ask(server, "/items/1")
            deadline = time.monotonic() + SECONDS_MAX
            while len(collector.requests) < 3 and time.monotonic() < deadline:
                time.sleep(0.05)
            check([status for *_, status in collector.requests] == [503, 429, 200], "the batch was not sent three times")
            documents = [document for _, _, document, _ in collector.requests]
            check(documents[0] == documents[1] == documents[2], "the batch has changed")
            check("traces cannot be exported" in server.log, server.log)
        check("traces are exported again" in server.log, server.log)
        check(sorted(spans_of(collector)) == ["GET /items/{id}", "render"], collector.requests)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print(f"{name}: ok")
