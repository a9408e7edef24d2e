"""The servers that http_rounds.py compares: how each is started. A new one is a function and a line in PEERS.

A peer's function gets (port, options, folder): a folder of its own for configuration, and options.workers, options.io
and options.build (where our programs are). It returns the command line, of a program that stays in the foreground; its
processes are found below it. Each must answer PATH with 13 bytes of text/plain, "Hello, World!", with a Date, from
options.workers threads or processes, without logging, on a connection that stays open.
"""

import os
import shutil

PATH = "/plaintext"
BODY = b"Hello, World!"

NGINX_CONFIGURATION = """\
daemon off;
worker_processes {workers};
pid {folder}/nginx.pid;
error_log stderr crit;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  keepalive_requests 1000000;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port} reuseport backlog=4096;
    location {path} {{ default_type text/plain; return 200 "{body}"; }}
  }}
}}
"""


def volt(port, options, folder):
    del folder
    program = os.path.join(options.build, "bin", "hello")
    return [program, "--listen", f"127.0.0.1:{port}", "--workers", str(options.workers), "--io", options.io]


def nginx(port, options, folder):
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    configuration = NGINX_CONFIGURATION.format(
        workers=options.workers, folder=folder, port=port, path=PATH, body=BODY.decode()
    )
    file = os.path.join(folder, "nginx.conf")
    with open(file, "w", encoding="utf-8") as out:
        out.write(configuration)
    return [program, "-p", folder, "-c", file, "-e", "stderr"]


PEERS = {"volt": volt, "nginx": nginx}
