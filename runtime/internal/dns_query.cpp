// SPDX-License-Identifier: MIT

#include "runtime/internal/dns_query.h"

#include <ares.h>
#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

#include "runtime/resolve_error.h"

namespace volt::net {
namespace {

// From 1.26 c-ares reads `options timeout:` and `options attempts:` of resolv.conf, as libc does. Earlier versions read
// neither, and wait for 75 seconds in all.
constexpr bool kReadsTimeouts = ARES_VERSION >= 0x011a00;
constexpr int kAttemptTimeoutMs = 2000;
constexpr std::chrono::milliseconds kAttemptTimeoutMax = std::chrono::hours(1);  // c-ares counts in int
constexpr int kAttempts = 2;

// Prepares c-ares, once in the process.
int prepare_c_ares() noexcept {
  static const int status = ::ares_library_init(ARES_LIB_INIT_ALL);
  return status;
}

std::error_code dns_error(int status) noexcept {
  switch (status) {
    case ARES_ENOTFOUND:
    case ARES_ENONAME:
      return ResolveError::not_found;
    case ARES_ENODATA:
      return ResolveError::no_address;
    case ARES_ETIMEOUT:
      return ResolveError::timed_out;
    case ARES_EBADNAME:
      return std::make_error_code(std::errc::invalid_argument);
    case ARES_ENOMEM:
      return std::make_error_code(std::errc::not_enough_memory);
    case ARES_ECANCELLED:
    case ARES_EDESTRUCTION:
      return std::make_error_code(std::errc::operation_canceled);
    default:  // SERVFAIL and other codes of servers. Before 1.33, ARES_ECONNREFUSED stands for them as well.
      return ResolveError::server_failed;
  }
}

std::string list_of(const std::vector<Address>& servers) {
  std::string list;
  for (const Address& server : servers) list += (list.empty() ? "" : ",") + server.to_string();
  return list;
}

FoundAddresses to_found(const ares_addrinfo& result, bool from_servers) {
  FoundAddresses found;
  int lifetime_s = 0;
  bool first = true;
  const auto shorten = [&](int record_s) {
    lifetime_s = first ? std::max(record_s, 0) : std::clamp(record_s, 0, lifetime_s);
    first = false;
  };
  for (const ares_addrinfo_node* node = result.nodes; node != nullptr; node = node->ai_next) {
    found.addresses.push_back(Address::from(node->ai_addr, node->ai_addrlen));
    shorten(node->ai_ttl);
  }
  for (const ares_addrinfo_cname* alias = result.cnames; alias != nullptr; alias = alias->next) shorten(alias->ttl);
  if (from_servers) found.lifetime = std::chrono::seconds(lifetime_s);
  return found;
}

}  // namespace

DnsQuery::DnsQuery(const DnsQuestion& question) {
  try {
    begin(question);
  } catch (...) {  // decided: rethrown; the destructor of an unfinished object does not run
    if (channel_ != nullptr) ::ares_destroy(channel_);
    throw;
  }
}

DnsQuery::~DnsQuery() {
  if (channel_ != nullptr) ::ares_destroy(channel_);  // calls note_result() if the query is not done
}

void DnsQuery::begin(const DnsQuestion& question) {
  ares_options options{};
  int given = ARES_OPT_SOCK_STATE_CB;
  options.sock_state_cb = note_socket;
  options.sock_state_cb_data = this;
  std::string path = question.resolv_conf;
  if (!path.empty()) {
    options.resolvconf_path = path.data();
    given |= ARES_OPT_RESOLVCONF;
  }
  if (question.attempt_timeout.count() > 0 || !kReadsTimeouts) {
    const std::chrono::milliseconds chosen = std::min(question.attempt_timeout, kAttemptTimeoutMax);
    options.timeout = chosen.count() > 0 ? static_cast<int>(chosen.count()) : kAttemptTimeoutMs;
    options.tries = kAttempts;
    given |= ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES;
  }
  std::string files_only = "f";
  if (!question.asks_servers) {
    options.lookups = files_only.data();
    given |= ARES_OPT_LOOKUPS;
  }
  int status = prepare_c_ares();
  if (status == ARES_SUCCESS) status = ::ares_init_options(&channel_, &options, given);
  if (status == ARES_SUCCESS && !question.servers.empty()) {
    status = ::ares_set_servers_ports_csv(channel_, list_of(question.servers).c_str());
  }
  if (status != ARES_SUCCESS) return fail(dns_error(status));
  ares_addrinfo_hints hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  ::ares_getaddrinfo(channel_, question.host.c_str(), nullptr, &hints, note_result, this);
}

bool DnsQuery::process_ready() {
  std::vector<pollfd> polled;
  polled.reserve(sockets_.size());
  for (const Watched& watched : sockets_) {
    const auto events = static_cast<short>((watched.reads ? POLLIN : 0) | (watched.writes ? POLLOUT : 0));
    polled.push_back({.fd = watched.fd, .events = events, .revents = 0});
  }
  if (polled.empty() || ::poll(polled.data(), polled.size(), 0) <= 0) return false;
  for (const pollfd& each : polled) {
    const bool broken = (each.revents & (POLLERR | POLLHUP)) != 0;
    const bool reads = broken || (each.revents & POLLIN) != 0;
    const bool writes = (each.events & POLLOUT) != 0 && (broken || (each.revents & POLLOUT) != 0);
    // An earlier turn may have closed the socket; c-ares then ignores its number.
    if (reads || writes) {
      ::ares_process_fd(channel_, reads ? each.fd : ARES_SOCKET_BAD, writes ? each.fd : ARES_SOCKET_BAD);
    }
  }
  return true;
}

std::chrono::nanoseconds DnsQuery::until_timeout() const noexcept {
  timeval storage{};
  const timeval* left = ::ares_timeout(channel_, nullptr, &storage);
  if (left == nullptr) return std::chrono::nanoseconds::max();
  return std::chrono::seconds(left->tv_sec) + std::chrono::microseconds(left->tv_usec);
}

void DnsQuery::process_timeouts() { ::ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD); }

void DnsQuery::note_socket(void* query, int fd, int reads, int writes) noexcept {
  auto& self = *static_cast<DnsQuery*>(query);
  try {
    self.watch(fd, reads != 0, writes != 0);
  } catch (const std::bad_alloc&) {  // decided: no exception may pass through c-ares
    self.fail(std::make_error_code(std::errc::not_enough_memory));
  }
}

void DnsQuery::watch(int fd, bool reads, bool writes) {
  const auto known = std::ranges::find(sockets_, fd, &Watched::fd);
  if (!reads && !writes) {  // c-ares closes it
    if (known != sockets_.end()) sockets_.erase(known);
    return;
  }
  asked_servers_ = true;
  if (known != sockets_.end()) {
    known->reads = reads;
    known->writes = writes;
    return;
  }
  const int duplicate = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (duplicate < 0) return fail({errno, std::system_category()});
  // Ends::pass: c-ares decides what an error or an end means; process_ready() sees both.
  SocketOwner owner = own_socket(duplicate, io::Ends::pass);
  owner->never_shut_down();
  sockets_.push_back({.fd = fd, .socket = std::move(owner), .reads = reads, .writes = writes});
}

void DnsQuery::note_result(void* query, int status, int /*timeouts*/, ares_addrinfo* result) noexcept {
  auto& self = *static_cast<DnsQuery*>(query);
  const std::unique_ptr<ares_addrinfo, decltype(&::ares_freeaddrinfo)> owner(result, ::ares_freeaddrinfo);
  if (status == ARES_SUCCESS && (result == nullptr || result->nodes == nullptr)) status = ARES_ENODATA;
  if (status != ARES_SUCCESS) return self.fail(dns_error(status));
  try {
    FoundAddresses found = to_found(*result, self.asked_servers_);
    if (!self.found_) self.found_.emplace(std::move(found));
  } catch (const std::bad_alloc&) {  // decided: no exception may pass through c-ares
    self.fail(std::make_error_code(std::errc::not_enough_memory));
  }
}

// The first result counts.
void DnsQuery::fail(std::error_code error) noexcept {
  if (!found_) found_.emplace(std::unexpect, error);
}

}  // namespace volt::net
