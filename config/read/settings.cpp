// SPDX-License-Identifier: MIT

#include <signal.h>

#include <vector>

#include "config/read/internal/setting.h"
#include "runtime/log_line.h"

namespace volt::config {
namespace {

using std::chrono::days;
using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr std::uint64_t kWorkersMax = 256;  // well below the runtime's own limit
constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr milliseconds kNone{0};

// The key and the member of Config have the same spelling, so it is written once.
#define VOLT_MEMBER(path) #path, [](auto& values) -> auto& { return values.config.path; }

std::vector<Setting> make_settings() {
  const Choice<IoEngine> engines{
      {{"auto", IoEngine::automatic}, {"uring", IoEngine::uring}, {"epoll", IoEngine::epoll}}};
  const Choice<NameSource> name_sources{
      {{"auto", NameSource::automatic}, {"dns", NameSource::dns}, {"system", NameSource::system}}};
  const Choice<LogLevel> levels{{{"debug", LogLevel::debug},
                                 {"info", LogLevel::info},
                                 {"warning", LogLevel::warning},
                                 {"error", LogLevel::error},
                                 {"off", LogLevel::off}}};
  const Choice<LogFormat> formats{
      {{"text", LogFormat::text}, {"logfmt", LogFormat::logfmt}, {"json", LogFormat::json}}};
  const Choice<int> rescue_signals{
      {{"SIGURG", SIGURG}, {"SIGIO", SIGIO}, {"SIGPWR", SIGPWR}, {"SIGUSR1", SIGUSR1}, {"none", 0}}};
  const Choice<tls::Preset> presets{{{"intermediate", tls::Preset::intermediate}, {"modern", tls::Preset::modern}}};
  const Choice<tls::ClientCertificates> client_certificates{{{"none", tls::ClientCertificates::none},
                                                             {"optional", tls::ClientCertificates::optional},
                                                             {"required", tls::ClientCertificates::required}}};
  return {
      {VOLT_MEMBER(listen), Addresses{},
       "Addresses for plain HTTP; []: none if tls.listen or tls.dev is set, else those that the program sets, or "
       "0.0.0.0:8080"},

      {VOLT_MEMBER(tls.listen), Addresses{},
       "Addresses to listen on for HTTPS; []: none, or 0.0.0.0:8443 with tls.dev"},
      {VOLT_MEMBER(tls.dev), Switch{},
       "Serve HTTPS with a self-signed certificate for localhost, generated at start-up; for development only"},
      {VOLT_MEMBER(tls.certificate), FilePath{},
       "PEM file with the default certificate and its chain; used if no other certificate matches the SNI host name"},
      {VOLT_MEMBER(tls.key), FilePath{}, "PEM file with the private key of tls.certificate"},
      {VOLT_MEMBER(tls.key_password_file), FilePath{},
       "File with the passphrase of encrypted private keys; \"\": no key is encrypted"},
      {VOLT_MEMBER(tls.more_certificates), CertificatePairs{},
       "Additional CERT:KEY pairs of PEM files; selected by the host name that the client sends (SNI)"},
      {VOLT_MEMBER(tls.preset), presets,
       "Mozilla's recommended TLS settings; intermediate: TLS 1.2 and 1.3, modern: TLS 1.3 only"},
      {VOLT_MEMBER(tls.client_certificates), client_certificates,
       "Whether clients are asked for a certificate: none, optional or required"},
      {VOLT_MEMBER(tls.client_ca), FilePath{}, "PEM file with the CAs accepted for client certificates"},
      {VOLT_MEMBER(tls.client_crl), FilePath{},
       "PEM file with the revocation lists (CRL) of the client certificates' CAs; \"\": revocation is not checked"},
      {VOLT_MEMBER(tls.handshake_timeout), Duration{},
       "Maximum time from accepting a connection to the end of its TLS handshake (connection closed if exceeded)"},
      {VOLT_MEMBER(tls.session_tickets), Switch{}, "Whether clients can resume TLS sessions with session tickets"},
      {VOLT_MEMBER(tls.ticket_key_lifetime), Duration{.min = minutes(1), .max = days(7)},
       "How often the session-ticket key rotates; the two previous keys stay valid"},

      {VOLT_MEMBER(runtime.workers),
       Count{.max = kWorkersMax},
       "Number of worker threads; 0: one for each processor that the process may use",
       {.short_flag = "--workers"}},
      {VOLT_MEMBER(runtime.io),
       engines,
       "I/O engine; auto: io_uring if the system allows it, else epoll; uring: fail to start without io_uring",
       {.short_flag = "--io"}},
      {VOLT_MEMBER(runtime.enable_stealing), Switch{},
       "Whether idle workers take tasks from busy workers; false: a task stays on its worker (thread per core)"},
      {VOLT_MEMBER(runtime.enable_rescue), Switch{},
       "Whether other workers take over the connections of a blocked worker; needs runtime.enable_stealing"},
      {VOLT_MEMBER(runtime.rescue_signal), rescue_signals,
       "Signal that interrupts a worker that computes, so that others can take over its connections"},
      {VOLT_MEMBER(runtime.spare_workers_max), Count{0, 256},
       "Maximum number of spare threads that run requests while all workers are blocked; 0: none; needs "
       "runtime.enable_rescue"},
      {VOLT_MEMBER(runtime.blocking_threads_max), Count{1, 10'000},
       "Maximum number of threads for blocking calls; they are started on demand"},
      {VOLT_MEMBER(runtime.blocking_queue_max), Count{1},
       "Maximum number of blocking calls that wait for a thread; further calls fail"},
      {VOLT_MEMBER(runtime.blocking_idle_timeout), Duration{},
       "How long a thread for blocking calls may stay idle before it ends"},
      {VOLT_MEMBER(runtime.schedtrace), Duration{.min = kNone},
       "Interval at which the scheduler's counters are logged; 0ms: never"},

      {VOLT_MEMBER(names.source), name_sources,
       "Lookup of host names; dns: in /etc/hosts and DNS; system: getaddrinfo; auto: system where nsswitch.conf needs "
       "it"},
      {VOLT_MEMBER(names.timeout), Duration{}, "Maximum time of the lookup of a host name"},
      {VOLT_MEMBER(names.keep_max), Duration{.min = kNone},
       "Maximum time that the addresses of a host name are cached, whatever lifetime (TTL) they have"},

      {VOLT_MEMBER(server.head_timeout), Duration{},
       "Maximum time from the first byte of a request to the end of its head (408 if exceeded)"},
      {VOLT_MEMBER(server.idle_timeout), Duration{},
       "Maximum idle time of a connection between two requests (closed if exceeded)"},
      {VOLT_MEMBER(server.stall_timeout), Duration{},
       "Maximum time without progress in a request body or a response (connection closed if exceeded)"},
      {VOLT_MEMBER(server.rate_bytes_per_second_min), Size{.min = 0},
       "Minimum average number of bytes per second of a request body or a response (closed if slower; 0 B: none)"},
      {VOLT_MEMBER(server.rate_grace), Duration{.min = kNone},
       "How long a transfer may take before server.rate_bytes_per_second_min applies to it"},
      {VOLT_MEMBER(server.linger_timeout), Duration{.min = kNone},
       "Maximum time between the last response and the close of a connection; what the client still sends is "
       "discarded, so that the client can read the response"},
      {VOLT_MEMBER(server.linger_idle_timeout), Duration{.min = kNone},
       "Maximum time without data from the client during server.linger_timeout (closed if exceeded)"},
      {VOLT_MEMBER(server.pipelined_bytes_max), Size{.max = 64 * kMiB},
       "Maximum total size of responses that are sent together when a client pipelines its requests"},
      {VOLT_MEMBER(server.half_close_cancels), Switch{},
       "Whether a client that closes its sending side counts as disconnected, so that its request is cancelled"},
      {VOLT_MEMBER(server.drain_idle_timeout), Duration{.min = kNone, .max = minutes(10)},
       "How long an idle connection stays open for another request while the server drains"},
      {VOLT_MEMBER(server.connections_max), Count{},
       "Maximum number of open connections; further ones wait; 0: the open-files limit minus a reserve"},
      {VOLT_MEMBER(server.pressure_idle_timeout), Duration{},
       "Maximum idle time of a connection between two requests while other connections wait (closed if exceeded)"},
      {VOLT_MEMBER(server.connections_per_client_max), Count{},
       "Maximum number of connections per client address (per /64 for IPv6); further ones are reset; 0: no limit"},
      {VOLT_MEMBER(server.queue_delay_max), Duration{.min = kNone},
       "Maximum time that a request may wait for a saturated worker, including the wait of a new connection to be "
       "accepted (503 if exceeded, hardly ever if requests take less than 50 us on average); 0ms: no limit"},
      {VOLT_MEMBER(server.queue_busy_min), Duration{.min = kNone},
       "How long a worker must run without a pause to count as saturated for server.queue_delay_max"},
      {VOLT_MEMBER(server.heavy_delay_max), Duration{.min = kNone},
       "Maximum wait of a request whose handler is known to be slow; the limit is four times the duration of such "
       "handlers, if that is less (503 if exceeded); 0ms: no limit"},
      {VOLT_MEMBER(server.memory_bytes_max), Size{.min = 0},
       "Memory limit of the process; near the limit, requests with a body get 503; nearer, all requests get 503; 0 B: "
       "the limit of the cgroup, or 7/8 of the machine's memory"},

      {VOLT_MEMBER(server.limits.request_line_bytes_max), Size{16, kMiB},
       "Maximum size of the request line without CRLF (414 if exceeded)"},
      {VOLT_MEMBER(server.limits.head_bytes_max), Size{64, 16 * kMiB},
       "Maximum size of a request head: request line and header fields (431 if exceeded)"},
      {VOLT_MEMBER(server.limits.fields_max), Count{1, http::http1::kFieldsCapacity},
       "Maximum number of request header fields (431 if exceeded)"},
      {VOLT_MEMBER(server.limits.body_bytes_max), Size{.min = 0},
       "Maximum size of a request body, not counting its chunked framing (413 if exceeded)"},
      {VOLT_MEMBER(server.limits.chunk_extension_bytes_max), Size{.min = 0, .max = kMiB},
       "Maximum size of the extensions of one chunk of a request body (400 if exceeded)"},
      {VOLT_MEMBER(server.limits.extension_bytes_per_data_byte_max), Count{.min = 1, .max = 1'000'000},
       "Maximum number of chunk-extension bytes per byte of a request body (400 if exceeded)"},
      {VOLT_MEMBER(server.limits.trailer_bytes_max), Size{.min = 0, .max = kMiB},
       "Maximum size of the trailer fields of a request (400 if exceeded)"},
      {VOLT_MEMBER(server.limits.trailer_fields_max), Count{.max = http::http1::kFieldsCapacity},
       "Maximum number of trailer fields of a request (400 if exceeded)"},
      {VOLT_MEMBER(server.limits.leading_empty_lines_max), Count{.max = 1000},
       "Maximum number of empty lines before a request line (400 if exceeded)"},

      {VOLT_MEMBER(ops.listen),
       Addresses{},
       "Addresses of the ops endpoint (probes, Prometheus, operators' page); []: the one that the program sets, or "
       "none",
       {.short_flag = "--ops"}},
      {VOLT_MEMBER(ops.allowed_hosts), Hosts{},
       "Host names that clients of the ops endpoint may use, besides IP addresses and localhost (421 for others)"},
      {VOLT_MEMBER(ops.service), Label{},
       "Name of the service on the operators' page; \"\": the name of the program's file"},
      {VOLT_MEMBER(ops.version), Label{}, "Version of the service on the operators' page; \"\": none is shown"},

      {VOLT_MEMBER(drain.delay),
       Duration{.min = kNone, .max = minutes(10)},
       "How long new connections are accepted after SIGTERM, for load balancers to react; the default under Kubernetes "
       "is 5s",
       {.where = "KUBERNETES_SERVICE_HOST", .there = "5s"}},
      {VOLT_MEMBER(drain.grace), Duration{.min = kNone, .max = minutes(60)},
       "Maximum time for requests in progress after drain.delay (connections closed if exceeded)"},

      {VOLT_MEMBER(log.level), levels, "Lowest level of the lines that are logged: debug, info, warning, error or off"},
      {VOLT_MEMBER(log.levels), LogLevels{},
       "Modules with a level of their own: access, app, config, http, pg, runtime, tls, and those of the program"},
      {VOLT_MEMBER(log.format), formats, "Format of log lines: text, logfmt or json"},
      {VOLT_MEMBER(log.file), FilePath{},
       "File to which log lines are appended, and which SIGHUP opens again (for logrotate); \"\": stderr"},
      {VOLT_MEMBER(log.journal), Switch{},
       "Whether each line begins with its priority (<4>) if stderr is connected to systemd's journal"},
      {VOLT_MEMBER(log.buffer_bytes), Size{LogLine::kBytesMax, 1024 * kMiB},
       "Maximum size of the log lines that wait to be written; further lines are dropped and counted"},
      {VOLT_MEMBER(log.flush_timeout), Duration{.min = kNone, .max = minutes(1)},
       "Maximum time at exit for writing the log lines that have not been written yet"},

      {VOLT_MEMBER(process.user), Account{},
       "Drop privileges to this user (name or uid) after binding; \"\": keep the current user"},
      {VOLT_MEMBER(process.group), Account{},
       "Drop privileges to this group (name or gid) after binding; \"\": the primary group of process.user"},
      {VOLT_MEMBER(process.umask), FileModeMask{},
       "Permission bits removed from new files (umask), in octal; \"\": keep the inherited umask"},
      {VOLT_MEMBER(process.pid_file), FilePath{},
       "File with the id of the process that serves, also after a hot restart; process.user must be able to write in "
       "its folder; \"\": none"},

      {VOLT_MEMBER(development.build_errors), FilePath{},
       "File with the errors of the last build, which browsers are shown instead of pages; volt-watch sets it, for "
       "development only; \"\": none"},
  };
}

#undef VOLT_MEMBER

}  // namespace

Settings all_settings() {
  static const std::vector<Setting> settings = make_settings();
  return settings;
}

}  // namespace volt::config
