# SPDX-License-Identifier: MIT
"""nginx and HAProxy as reverse proxies on loopback, and what their logs say they sent to the back end.

Each tells the back end an id of its own making for each request, in X-Front-Id, in place of any that the client sent.
The lax ones let through what they are willing to, and pass bodies on as they come; the others wait for a body to be
whole, and log it.
"""

import contextlib
import dataclasses
import json
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from ports import free_port  # pylint: disable=wrong-import-position

STARTED_SECONDS_MAX = 10
LOG_REST_SECONDS = 0.5

NGINX = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx_error.log crit;
events {{ worker_connections 4096; }}
http {{
  access_log off; server_tokens off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  client_body_buffer_size 64k; client_header_timeout 3s; client_body_timeout 3s; keepalive_timeout 3s;
  lingering_timeout 1s;
  log_format requests escape=json '{{"client":"$remote_addr","id":"$request_id","status":"$status",'
    '"upstream":"$upstream_status","method":"$request_method","target":"$request_uri","body":"$request_body"}}';
  upstream back {{ server 127.0.0.1:{tap} max_fails=0; keepalive 8; }}
  server {{
    listen 127.0.0.1:{port} backlog=1024; server_name front;
    access_log {log} requests;
    {lax}
    location / {{
      proxy_pass http://back; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host;
      proxy_set_header X-Front-Id $request_id;
      proxy_next_upstream off; proxy_ignore_client_abort on; proxy_read_timeout 4s;
    }}
  }}
}}
"""
NGINX_LAX = """ignore_invalid_headers off; underscores_in_headers on; merge_slashes off; proxy_request_buffering off;"""

HAPROXY = """
global
  nbthread 1
  maxconn 4096
  log stdout len 32768 format raw local0 info
defaults
  mode http
  log global
  retries 0
  timeout connect 3s
  timeout client 3s
  timeout http-request 3s
  timeout http-keep-alive 3s
  timeout server 4s
frontend front
  bind 127.0.0.1:{port} backlog 1024
  {lax}
  unique-id-format %[uuid()]
  http-request set-header X-Front-Id %[unique-id]
  http-request set-var(txn.target) url
  http-request set-var(txn.body_bytes) req.body_len
  http-request set-var(txn.body_crc) req.body,crc32
  log-format "%ci %ID %ST %ts %s %HM %[var(txn.body_bytes)] %[var(txn.body_crc)] %[var(txn.target)]"
  default_backend back
backend back
  http-reuse always
  server back 127.0.0.1:{tap}
"""
HAPROXY_STRICT = "option http-buffer-request"
HAPROXY_LAX = "option accept-invalid-http-request"


@dataclasses.dataclass
class Sent:
    """A request, as the front's log has it."""

    client: str
    status: int  # what the client was answered
    forwarded: bool
    answered: bool  # by the back end
    method: str
    target: str
    body: tuple | None  # bytes and CRC-32, where the front waited for it

    @property
    def refused(self):
        """By the back end, for what is wrong with the request."""
        return self.answered and 400 <= self.status <= 501

    @property
    def succeeded(self):
        return 200 <= self.status < 400

    def seen(self):
        """What the back end is to say, with the id left out; without the body if that is not known."""
        return (self.method, *map(str, self.body or ()), self.target)


class Front:
    def __init__(self, name, folder):
        self.name = name
        self.lax = name.endswith("_lax")
        self.folder = pathlib.Path(folder) / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log = self.folder / "requests.log"
        self.port = free_port()

    @contextlib.contextmanager
    def serving(self, tap_port):
        with open(self.log if self.name.startswith("haproxy") else self.folder / "output.log", "wb") as out:
            process = subprocess.Popen(self.command(tap_port), stdout=out, stderr=subprocess.STDOUT)
        try:
            self.await_listening(process)
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(10)

    def command(self, tap_port):
        program = self.name.removesuffix("_lax")
        config = self.folder / f"{program}.conf"
        nginx = program == "nginx"
        lax = (NGINX_LAX if self.lax else "") if nginx else (HAPROXY_LAX if self.lax else HAPROXY_STRICT)
        text = NGINX if nginx else HAPROXY
        config.write_text(text.format(folder=self.folder, tap=tap_port, port=self.port, log=self.log, lax=lax))
        flags = ["-p", str(self.folder), "-e", "stderr", "-c", str(config)] if nginx else ["-db", "-f", str(config)]
        return [find(program), *flags]

    def await_listening(self, process):
        deadline = time.monotonic() + STARTED_SECONDS_MAX
        while time.monotonic() < deadline and process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError(f"{self.name} does not listen: --keep a folder and see there")

    def sent(self):
        """{id: Sent}, once the log is at rest: it has a line for a request only when that is over."""
        size = -1
        while size != (size := self.log.stat().st_size):
            time.sleep(LOG_REST_SECONDS)
        read_line = self.read_nginx if self.name.startswith("nginx") else self.read_haproxy
        with open(self.log, encoding="latin-1", newline="\n") as lines:
            return dict(filter(None, map(read_line, lines)))

    def read_nginx(self, line):
        fields = json.loads(line)
        body = fields["body"].encode("latin-1")
        target = fields["target"]
        if target.startswith("?"):
            # An absolute target without a path: nginx sends one, and leaves out an empty query; its log does neither.
            target = "/" + target if len(target) > 1 else "/"
        return fields["id"], Sent(
            client=fields["client"],
            status=int(fields["status"]),
            forwarded=fields["upstream"] != "",
            answered=fields["upstream"].isdigit() and fields["upstream"] == fields["status"],
            method=fields["method"],
            target=target,
            body=None if self.lax else (len(body), zlib.crc32(body)),
        )

    def read_haproxy(self, line):
        parts = line.rstrip("\n").split(" ", 8)
        if len(parts) != 9 or not parts[0].startswith("127."):
            return None  # its words at start and end
        client, unique_id, status, end, server, method, body_bytes, body_crc, target = parts
        known = body_bytes.isdigit() and body_crc.isdigit() and not self.lax
        return unique_id, Sent(
            client=client,
            status=int(status),
            forwarded=server == "back",
            answered=server == "back" and end == "--",
            method=method,
            target=target,
            body=(int(body_bytes), int(body_crc)) if known else None,
        )


def find(program):
    """None if it is not installed."""
    return shutil.which(program, path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
