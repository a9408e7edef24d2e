#include <vector>

#include "config/read/internal/setting.h"
#include "runtime/log_line.h"

namespace volt::config {
namespace {

using std::chrono::days;
using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr std::uint64_t kWorkersMax = 256;  // well under what the runtime takes
constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr milliseconds kNone{0};

// A key is spelt as its member is, so it is written once.
#define VOLT_MEMBER(path) #path, [](auto& config) -> auto& { return config.path; }

std::vector<Setting> make_settings() {
  const Choice<IoEngine> engines{
      {{"auto", IoEngine::automatic}, {"uring", IoEngine::uring}, {"epoll", IoEngine::epoll}}};
  const Choice<LogLevel> levels{{{"debug", LogLevel::debug},
                                 {"info", LogLevel::info},
                                 {"warning", LogLevel::warning},
                                 {"error", LogLevel::error},
                                 {"off", LogLevel::off}}};
  const Choice<LogFormat> formats{
      {{"text", LogFormat::text}, {"logfmt", LogFormat::logfmt}, {"json", LogFormat::json}}};
  const Choice<tls::Preset> presets{{{"intermediate", tls::Preset::intermediate}, {"modern", tls::Preset::modern}}};
  const Choice<tls::ClientCertificates> client_certificates{{{"none", tls::ClientCertificates::none},
                                                             {"optional", tls::ClientCertificates::optional},
                                                             {"required", tls::ClientCertificates::required}}};
  return {
      {VOLT_MEMBER(listen), Addresses{}, "where to listen; [] is what the program says, else 0.0.0.0:8080"},

      {VOLT_MEMBER(tls.listen), Addresses{}, "where to listen with TLS"},
      {VOLT_MEMBER(tls.dev), Switch{},
       "TLS with a certificate made at the start, for localhost; at 0.0.0.0:8443 unless tls.listen says where"},
      {VOLT_MEMBER(tls.certificate), FilePath{}, "for clients that name no host of another one: PEM, with its chain"},
      {VOLT_MEMBER(tls.key), FilePath{}, "of that certificate"},
      {VOLT_MEMBER(tls.key_password_file), FilePath{}, "opens keys that are encrypted; \"\": none is"},
      {VOLT_MEMBER(tls.more_certificates), CertificatePairs{},
       "and their keys, chosen by the host that a client names"},
      {VOLT_MEMBER(tls.preset), presets, "Mozilla's; intermediate: TLS 1.2 and 1.3, modern: TLS 1.3"},
      {VOLT_MEMBER(tls.client_certificates), client_certificates, "whether clients are asked for one"},
      {VOLT_MEMBER(tls.client_ca), FilePath{}, "who has to have signed it: PEM"},
      {VOLT_MEMBER(tls.handshake_timeout), Duration{}, "accept to the end of the handshake"},
      {VOLT_MEMBER(tls.session_tickets), Switch{}, "clients may resume their sessions"},
      {VOLT_MEMBER(tls.ticket_key_lifetime), Duration{.min = minutes(1), .max = days(7)},
       "then there is a new key; the two before it still open tickets"},

      {VOLT_MEMBER(runtime.workers),
       Count{.max = kWorkersMax},
       "worker threads; 0: one for each usable processor",
       {.short_flag = "--workers"}},
      {VOLT_MEMBER(runtime.io),
       engines,
       "what waits for readiness; auto: io_uring where it is allowed, else epoll",
       {.short_flag = "--io"}},
      {VOLT_MEMBER(runtime.enable_stealing), Switch{}, "idle workers take tasks of busy ones; false: thread per core"},
      {VOLT_MEMBER(runtime.enable_rescue), Switch{}, "take over the connections of a worker that is stuck in a task"},
      {VOLT_MEMBER(runtime.blocking_threads_max), Count{1, 10'000}, "threads for calls that block, started on demand"},
      {VOLT_MEMBER(runtime.blocking_queue_max), Count{1}, "calls that wait for one of them; beyond it they fail"},
      {VOLT_MEMBER(runtime.blocking_idle_timeout), Duration{},
       "such a thread ends when it has been idle for that long"},
      {VOLT_MEMBER(runtime.schedtrace), Duration{.min = kNone}, "log the scheduler's counters this often; 0ms: never"},

      {VOLT_MEMBER(server.head_timeout), Duration{}, "first byte of a request to the end of its head, else 408"},
      {VOLT_MEMBER(server.idle_timeout), Duration{}, "between two requests of a connection"},
      {VOLT_MEMBER(server.stall_timeout), Duration{}, "no byte of a body or an answer moves: the connection ends"},
      {VOLT_MEMBER(server.rate_bytes_per_second_min), Size{.min = 0},
       "a body or an answer may be no slower on the average"},
      {VOLT_MEMBER(server.rate_grace), Duration{.min = kNone}, "once it has taken that long"},
      {VOLT_MEMBER(server.linger_timeout), Duration{.min = kNone},
       "after a last answer, for the client to read it before the close"},
      {VOLT_MEMBER(server.linger_bytes_max), Size{.min = 0}, "read and dropped meanwhile"},
      {VOLT_MEMBER(server.pipelined_bytes_max), Size{.max = 64 * kMiB}, "of answers gathered before they are sent"},
      {VOLT_MEMBER(server.half_close_cancels), Switch{},
       "a client that has said its last byte counts as gone: what is under way for it is cancelled"},
      {VOLT_MEMBER(server.drain_idle_timeout), Duration{.min = kNone, .max = minutes(10)},
       "a server that ends: how long idle connections may still ask"},
      {VOLT_MEMBER(server.connections_max), Count{},
       "open at a time, others wait; 0: as many as there are descriptors, less a tenth for others"},
      {VOLT_MEMBER(server.pressure_idle_timeout), Duration{},
       "between two requests of a connection, while others wait"},
      {VOLT_MEMBER(server.connections_per_client_max), Count{},
       "of one address, of IPv6 its /64, others are reset; 0: any number"},
      {VOLT_MEMBER(server.queue_delay_max), Duration{.min = kNone},
       "a request that waited longer for its turn is answered 503, by a worker that is always busy; 0ms: never"},
      {VOLT_MEMBER(server.queue_busy_min), Duration{.min = kNone}, "always busy: without a pause for that long"},
      {VOLT_MEMBER(server.memory_bytes_max), Size{.min = 0},
       "in use by the process; shortly before it bodies are refused, then all requests; 0 B: what its cgroup may use"},

      {VOLT_MEMBER(server.limits.request_line_bytes_max), Size{16, kMiB},
       "its first line, without CRLF; beyond it, 414"},
      {VOLT_MEMBER(server.limits.head_bytes_max), Size{64, 16 * kMiB}, "its first line and its fields; beyond it, 431"},
      {VOLT_MEMBER(server.limits.fields_max), Count{1, http::http1::kFieldsCapacity}, "in its head; beyond it, 431"},
      {VOLT_MEMBER(server.limits.body_bytes_max), Size{.min = 0}, "of its body, decoded; beyond it, 413"},
      {VOLT_MEMBER(server.limits.chunk_extension_bytes_max), Size{.min = 0, .max = kMiB},
       "of one chunk of its body; beyond it, 400"},
      {VOLT_MEMBER(server.limits.extension_bytes_per_data_byte_max), Count{.min = 1, .max = 1'000'000},
       "of chunks, for each byte of its body; beyond it, 400"},
      {VOLT_MEMBER(server.limits.trailer_bytes_max), Size{.min = 0, .max = kMiB},
       "of fields behind its body; beyond it, 400"},
      {VOLT_MEMBER(server.limits.trailer_fields_max), Count{.max = http::http1::kFieldsCapacity},
       "behind its body; beyond it, 400"},
      {VOLT_MEMBER(server.limits.leading_empty_lines_max), Count{.max = 1000}, "before its first line; beyond it, 400"},

      {VOLT_MEMBER(ops.listen),
       Addresses{},
       "where probes, Prometheus and operators ask; [] is what the program says, else none",
       {.short_flag = "--ops"}},
      {VOLT_MEMBER(ops.allowed_hosts), Hosts{}, "names that they ask by, besides addresses and localhost"},

      {VOLT_MEMBER(drain.delay),
       Duration{.min = kNone, .max = minutes(10)},
       "SIGTERM to the close of the listeners, for balancers to notice; 5s where KUBERNETES_SERVICE_HOST is set",
       {.where = "KUBERNETES_SERVICE_HOST", .there = "5s"}},
      {VOLT_MEMBER(drain.grace), Duration{.min = kNone, .max = minutes(60)},
       "then for requests under way; what is left is cut"},

      {VOLT_MEMBER(log.level), levels, "what is logged: that, and what is worse"},
      {VOLT_MEMBER(log.format), formats, "of a line"},
      {VOLT_MEMBER(log.buffer_bytes), Size{LogLine::kBytesMax, 1024 * kMiB},
       "of lines that wait to be written; beyond it they are dropped, and counted"},
      {VOLT_MEMBER(log.flush_timeout), Duration{.min = kNone, .max = minutes(1)},
       "at the end, for lines that still wait"},

      {VOLT_MEMBER(process.user), Account{}, "who to become once it listens, a name or number; \"\": nobody else"},
      {VOLT_MEMBER(process.group), Account{}, "and in which group; \"\": the user's own"},
      {VOLT_MEMBER(process.umask), FileModeMask{}, "of files that it makes, such as \"027\"; \"\": as it was started"},
  };
}

#undef VOLT_MEMBER

}  // namespace

Settings all_settings() {
  static const std::vector<Setting> settings = make_settings();
  return settings;
}

}  // namespace volt::config
