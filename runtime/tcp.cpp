// SPDX-License-Identifier: MIT

#include "runtime/tcp.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "runtime/internal/runtime_log.h"
#include "runtime/net/socket_calls.h"
#include "runtime/sched/clock.h"
#include "runtime/select.h"
#include "runtime/time.h"

namespace volt {
namespace {

using net::close_failed;
using net::local_address_of;
using net::socket_option;
using net::transfer_error;

constexpr auto kPause = std::chrono::milliseconds(100);
constexpr std::int64_t kLogsApartNs = 1'000'000'000;

// After this many errors of single connections in a row, accept() pauses: perhaps they all have one cause that lasts,
// such as a network that is down or a security module that denies the call.
constexpr int kFailuresInARowMax = 16;

int open_reserve() noexcept { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

void set_tcp_options(int fd, const ListenOptions& options) noexcept {
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (options.reuse_port) ::setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // accepted sockets inherit it
}

}  // namespace

Result<TcpListener> TcpListener::bind(const Address& address, ListenOptions options) {
  const std::string path(address.path());
  if (!path.empty()) SocketFile::remove_stale(address);
  const Result<int> opened = net::open_socket(address.family(), SOCK_STREAM);
  if (!opened) return std::unexpected(opened.error());
  const int fd = *opened;
  if (address.family() != AF_UNIX) set_tcp_options(fd, options);
  if (::bind(fd, address.data(), address.size_bytes()) != 0) return close_failed(fd);
  SocketFile file(address);
  // The mode is set before listen(): until then no client can connect.
  if (!path.empty() && ::chmod(path.c_str(), options.file_mode) != 0) return close_failed(fd);
  if (!options.deferred && ::listen(fd, options.backlog) != 0) return close_failed(fd);
  const Result<Address> local = local_address_of(fd);
  if (!local) return close_failed(fd);
  TcpListener listener(fd, *local, std::move(file));
  if (options.deferred) listener.deferred_backlog_ = options.backlog;
  return listener;
}

Result<void> TcpListener::start() noexcept {
  if (deferred_backlog_ == 0) return {};
  if (::listen(socket_->fd(), deferred_backlog_) != 0) return system_error(errno);
  deferred_backlog_ = 0;
  return {};
}

Result<std::vector<TcpListener>> TcpListener::bind_shared(const Address& address, std::uint32_t count, bool deferred) {
  // Binds without sharing, which fails if another process listens there. It must not listen itself: its end would reset
  // a client that has connected to it. It stays bound until the others are, so that no other process gets the port.
  const auto alone = bind(address, {.deferred = true});
  if (!alone) return std::unexpected(alone.error());
  std::vector<TcpListener> listeners;
  while (listeners.size() != count) {
    auto listener = bind(alone->local_address(), {.reuse_port = true, .deferred = deferred});
    if (!listener) return std::unexpected(listener.error());
    listeners.push_back(std::move(*listener));
  }
  return listeners;
}

Result<TcpListener> TcpListener::adopt(int fd) {
  const Result<int> listens = socket_option(fd, SO_ACCEPTCONN);
  if (!listens) return std::unexpected(listens.error());
  const Result<int> type = socket_option(fd, SO_TYPE);
  if (!type) return std::unexpected(type.error());
  if (*listens == 0 || *type != SOCK_STREAM) return error(std::errc::invalid_argument);
  const Result<Address> local = local_address_of(fd);
  if (!local) return std::unexpected(local.error());
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 || ::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
    return system_error(errno);
  }
  const int on = 1;
  if (local->family() != AF_UNIX) ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  TcpListener listener(fd, *local, SocketFile());
  listener.socket_->never_shut_down();  // a shutdown would also end it for the process that created it
  listener.sharing_.store(Sharing::adopted, base::relaxed);  // relaxed: no other thread uses it yet
  return listener;
}

// The filter sees the packets that reach the listener itself, from the TCP header on (Linux, net/core/filter.c). It
// drops those with the flag SYN, so that the acknowledgement that completes a handshake still passes.
bool TcpListener::ignore_new_clients() noexcept {
  if (sharing_.load(base::relaxed) != Sharing::none) return false;  // relaxed: a flag
  if (local_address_.family() == AF_UNIX) {
    ::shutdown(socket_->fd(), SHUT_RD);
    return false;  // a client of a unix socket connects in one step
  }
  constexpr std::uint32_t kFlags = 13;  // their offset in a TCP header (RFC 9293 section 3.1)
  constexpr std::uint32_t kSyn = 2;
  std::array program{
      sock_filter BPF_STMT(BPF_LD | BPF_B | BPF_ABS, kFlags),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kSyn, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, 0),
      sock_filter BPF_STMT(BPF_RET | BPF_K, std::numeric_limits<std::uint32_t>::max()),
  };
  const sock_fprog filter{.len = program.size(), .filter = program.data()};
  return ::setsockopt(socket_->fd(), SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0;
}

Result<int> TcpListener::duplicate() {
  const int fd = ::fcntl(socket_->fd(), F_DUPFD_CLOEXEC, 0);
  if (fd < 0) return system_error(errno);
  socket_->never_shut_down();  // a shutdown would also end the duplicate
  Sharing expected = Sharing::none;
  sharing_.compare_exchange_strong(expected, Sharing::duplicated, base::relaxed, base::relaxed);  // relaxed: a flag
  return fd;
}

void TcpListener::note_duplicates_closed() noexcept {
  Sharing expected = Sharing::duplicated;
  sharing_.compare_exchange_strong(expected, Sharing::none, base::relaxed, base::relaxed);  // relaxed: a flag
}

TcpListener::TcpListener(int fd, const Address& local_address, SocketFile file)
    : socket_(net::own_socket(fd)), file_(std::move(file)), local_address_(local_address) {
  socket_->set_more_to_read(true);
  reserve_fd_ = open_reserve();  // here no exception follows
}

TcpListener::TcpListener(TcpListener&& other) noexcept
    : socket_(std::move(other.socket_)),
      file_(std::move(other.file_)),
      local_address_(other.local_address_),
      reserve_fd_(std::exchange(other.reserve_fd_, -1)),
      quiet_until_ns_(other.quiet_until_ns_),
      deferred_backlog_(other.deferred_backlog_),
      sharing_(other.sharing_.load(base::relaxed)),  // relaxed: no other thread uses it
      refused_(std::move(other.refused_)),
      interrupted_(std::move(other.interrupted_)) {}

TcpListener& TcpListener::operator=(TcpListener&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(file_, other.file_);
  std::swap(local_address_, other.local_address_);
  std::swap(reserve_fd_, other.reserve_fd_);
  std::swap(quiet_until_ns_, other.quiet_until_ns_);
  std::swap(deferred_backlog_, other.deferred_backlog_);
  const Sharing sharing = sharing_.load(base::relaxed);  // relaxed: no other thread uses either
  sharing_.store(other.sharing_.exchange(sharing, base::relaxed), base::relaxed);  // relaxed: as above
  std::swap(refused_, other.refused_);
  std::swap(interrupted_, other.interrupted_);
  return *this;
}

TcpListener::~TcpListener() {
  if (reserve_fd_ >= 0) ::close(reserve_fd_);
}

Result<TcpStream> TcpListener::try_accept() noexcept {
  if (reserve_fd_ < 0) [[unlikely]] {  // another thread took its place in a shortage
    reserve_fd_ = open_reserve();
  }
  sockaddr_in6 peer{};
  socklen_t bytes = sizeof peer;  // longer addresses are cut off, such as the names of unix sockets, which are not kept
  const int fd = ::accept4(socket_->fd(), reinterpret_cast<sockaddr*>(&peer), &bytes, SOCK_NONBLOCK | SOCK_CLOEXEC);
  socket_->set_more_to_read(fd >= 0 || errno != EAGAIN);
  if (fd < 0) return transfer_error(errno);
  try {
    net::SocketOwner socket = net::own_socket(fd);
    socket->set_peer(peer);
    return TcpStream(std::move(socket));
  } catch (const std::bad_alloc&) {  // decided: this connection is rejected
    return system_error(ENOMEM);
  }
}

Task<Result<TcpStream>> TcpListener::accept() {
  for (int failures = 0;;) {
    const Result<void> ready = co_await socket_->ready(net::Direction::read);
    if (!ready) co_return std::unexpected(ready.error());
    Result<TcpStream> accepted = try_accept();
    if (accepted) co_return accepted;
    switch (const int number = accepted.error().value()) {
      case EMFILE:
      case ENFILE:
      case ENOBUFS:
      case ENOMEM:
        refuse_one();
        if (co_await pause(number)) co_return error(std::errc::interrupted);
        break;
      case EBADF:
      case ENOTSOCK:
        co_return accepted;
      case EAGAIN:
        // No connection waits. If the reactor also reported the end of the listener, it could not watch the socket.
        if (!socket_->ended(net::Direction::read)) break;
        static_cast<void>(co_await pause(ENOSPC));
        co_return error(std::errc::interrupted);
      default:
        // The error may concern only this connection (accept(2), "Error handling"): then the next one is tried. Whether
        // it does cannot be told from EOPNOTSUPP and EINVAL, so listens() decides.
        if (!listens()) co_return accepted;
        if (++failures % kFailuresInARowMax != 0) break;
        if (co_await pause(number)) co_return error(std::errc::interrupted);
        break;
    }
  }
}

bool TcpListener::listens() const noexcept {
  const Result<int> listens = socket_option(socket_->fd(), SO_ACCEPTCONN);
  return listens && *listens != 0;
}

void TcpListener::refuse_one() noexcept {
  if (reserve_fd_ < 0) return;
  ::close(reserve_fd_);
  const int refused = ::accept4(socket_->fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (refused >= 0) {
    ::close(refused);
    refused_->fetch_add(1, base::relaxed);  // relaxed: a report
  }
  reserve_fd_ = open_reserve();
}

Task<bool> TcpListener::pause(int error_number) {
  warn_of_pause(error_number);
  const auto ended_by = co_await select(interrupted_->notified(), sleep_for(kPause));
  co_return ended_by.index() == 0;
}

void TcpListener::warn_of_pause(int error_number) {
  const std::int64_t now = sched::now_ns();
  if (now < quiet_until_ns_) return;
  quiet_until_ns_ = now + kLogsApartNs;
  kRuntimeLog(LogLevel::warning, "cannot accept connections, trying again",
              {{"address", local_address_.to_string()},
               {"error", std::system_category().message(error_number)},
               {"retry_in", kPause}});
}

}  // namespace volt
