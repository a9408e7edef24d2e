// SPDX-License-Identifier: MIT

// DnsQuery: one lookup of the addresses of a name by c-ares: in the file of hosts, then at the name servers, in the
// order of nsswitch.conf(5); IPv4 and IPv6 at the same time; over TCP where an answer is truncated. The addresses come
// in the machine's order of preference (RFC 6724).
//
// The object is driven from outside (runtime/internal/dns_lookup.h): it says which sockets to wait for, and until when.
//
// Each lookup has a c-ares channel of its own. Rejected: a channel for each worker, or for the runtime.
//   - A channel then belongs to one task at a time, whichever worker runs the task: it needs no lock, and no callback
//     runs on another worker than the call that causes it.
//   - c-ares cannot cancel one query of a channel; it destroys a channel at any time.
//   - Each lookup sends from a new port, which an attacker who forges answers would have to guess (RFC 5452 section
//     9.2). A channel that lives on keeps its UDP socket as long as it has queries.
//   - A new channel reads resolv.conf(5), so a change of it needs no watch, and no lookup is in flight at the change.
// The price is to read these files again. The cache of the Resolver makes that rare, and a thread of the blocking pool
// does it.
//
// Threads: one at a time. Lifetime: the sockets are closed with the object; duplicates in sockets() may outlive it.
// The only user of c-ares.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/address.h"
#include "runtime/net/socket.h"
#include "runtime/result.h"

struct ares_channeldata;
struct ares_addrinfo;

namespace volt::net {

struct DnsQuestion {
  std::string host;
  std::vector<Address> servers;                  // in place of those of resolv_conf
  std::string resolv_conf;                       // empty: /etc/resolv.conf
  std::chrono::milliseconds attempt_timeout{0};  // for the first answer of a server; 0: as resolv_conf says
  bool asks_servers = true;                      // false: the file of hosts only
};

struct FoundAddresses {
  std::vector<Address> addresses;
  std::optional<std::chrono::seconds> lifetime;  // the smallest TTL of the records; none for a file
};

class DnsQuery {
 public:
  // A socket of c-ares: a duplicate of its descriptor, which the reactor watches, and what c-ares waits for.
  struct Watched {
    int fd = -1;  // that of c-ares
    std::shared_ptr<Socket> socket;
    bool reads = false;
    bool writes = false;
    bool reader_waits = false;  // set by the driver: a task waits for this direction
    bool writer_waits = false;
  };

  // Reads the configuration and the file of hosts, and sends the first messages: may block.
  explicit DnsQuery(const DnsQuestion& question);
  ~DnsQuery();
  DnsQuery(const DnsQuery&) = delete;
  DnsQuery& operator=(const DnsQuery&) = delete;

  [[nodiscard]] bool done() const noexcept { return found_.has_value(); }
  // Returns the addresses, not empty; must be called once, when the query is done. Errors: ResolveError;
  // invalid_argument if c-ares refuses the name; not_enough_memory; an error of the duplicates' system calls.
  [[nodiscard]] Result<FoundAddresses> take() { return *std::move(found_); }

  [[nodiscard]] std::vector<Watched>& sockets() noexcept { return sockets_; }
  // Reads and writes on the sockets that are ready now. Returns false if none is.
  bool process_ready();
  // Returns the time until process_timeouts() must be called.
  [[nodiscard]] std::chrono::nanoseconds until_timeout() const noexcept;
  void process_timeouts();

 private:
  // The callbacks of c-ares, called within the functions above.
  static void note_socket(void* query, int fd, int reads, int writes) noexcept;
  static void note_result(void* query, int status, int timeouts, ares_addrinfo* result) noexcept;

  void begin(const DnsQuestion& question);
  void watch(int fd, bool reads, bool writes);
  void fail(std::error_code error) noexcept;

  ares_channeldata* channel_ = nullptr;
  std::vector<Watched> sockets_;
  bool asked_servers_ = false;
  std::optional<Result<FoundAddresses>> found_;
};

}  // namespace volt::net
