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
    configuration = NGINX_CONFIGURATION.format(
        workers=options.workers, folder=folder, port=port, path=PATH, body=BODY.decode()
    )
    return nginx_command(configuration, folder)


def nginx_command(configuration, folder):
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    file = os.path.join(folder, "nginx.conf")
    with open(file, "w", encoding="utf-8") as out:
        out.write(configuration)
    return [program, "-p", folder, "-c", file, "-e", "stderr"]


PEERS = {"volt": volt, "nginx": nginx}

# The same for files: everything in options.files, below FILES_PATH.
FILES_PATH = "/static/"
NGINX_FILES = "location {path} {{ alias {files}/; }}"
NGINX_CACHE = "open_file_cache max=1000 inactive=60s; open_file_cache_valid 1s; open_file_cache_min_uses 1;"


def volt_files(port, options, folder):
    del folder
    program = os.path.join(options.build, "bin", "conformance_target")
    flags = ["--listen", f"127.0.0.1:{port}", "--workers", str(options.workers), "--io", options.io]
    return ["env", f"VOLT_STATIC_DIR={options.files}", program, *flags]


def nginx_files(port, options, folder, extra=""):
    template = NGINX_CONFIGURATION.replace('location {path} {{ default_type text/plain; return 200 "{body}"; }}', NGINX_FILES)
    template = template.replace("access_log off;", f"access_log off; sendfile on; types {{{{ text/plain txt; }}}} {extra}")
    configuration = template.format(
        workers=options.workers, folder=folder, port=port, path=FILES_PATH, files=options.files
    )
    return nginx_command(configuration, folder)


def nginx_cached_files(port, options, folder):
    return nginx_files(port, options, folder, NGINX_CACHE)


FILE_PEERS = {"volt": volt_files, "nginx": nginx_files, "nginx-cache": nginx_cached_files}

# The same over TLS, with options.certificate and options.key (PEM). Of what is agreed on, the first of a list counts, so
# both have the same lists.
NGINX_TLS = """\
ssl_certificate {certificate};
    ssl_certificate_key {key};
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_ciphers {ciphers};
    ssl_conf_command Ciphersuites {suites};
    ssl_ecdh_curve X25519:prime256v1:secp384r1;
    ssl_prefer_server_ciphers on;
    ssl_session_cache off;
    ssl_session_tickets on;
    location"""
CIPHERS = "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256"
SUITES = "TLS_AES_128_GCM_SHA256"


def volt_tls(port, options, folder):
    del folder
    program = os.path.join(options.build, "bin", "hello")
    files = ["--tls.certificate", options.certificate, "--tls.key", options.key]
    return [program, "--tls.listen", f"127.0.0.1:{port}", *files, "--workers", str(options.workers), "--io", options.io]


def nginx_tls(port, options, folder):
    template = NGINX_CONFIGURATION.replace("reuseport", "ssl reuseport").replace("location", NGINX_TLS)
    configuration = template.format(
        workers=options.workers, folder=folder, port=port, path=PATH, body=BODY.decode(), ciphers=CIPHERS,
        suites=SUITES, certificate=options.certificate, key=options.key
    )
    return nginx_command(configuration, folder)


TLS_PEERS = {"volt": volt_tls, "nginx": nginx_tls}
