// SPDX-License-Identifier: MIT

#include "runtime/internal/connect.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "runtime/borrowed.h"
#include "runtime/concurrent.h"
#include "runtime/net/socket_calls.h"
#include "runtime/notify.h"
#include "runtime/resolve.h"
#include "runtime/scope.h"
#include "runtime/tcp.h"

namespace volt {
namespace net {
namespace {

// Returns the state of a connect in progress: 0 if connected, an error number, or EINPROGRESS.
int outcome_of(const Socket& socket) noexcept {
  const Result<int> failure = socket_option(socket.fd(), SO_ERROR);
  if (!failure) return failure.error().value();
  if (*failure != 0) return *failure;
  if (peer_address_of(socket.fd())) return 0;
  return socket.ended(Direction::write) ? ECONNRESET : EINPROGRESS;  // ended: the reactor could not watch the socket
}

}  // namespace

Task<Result<SocketOwner>> connect_stream(Address address) {
  const Result<int> fd = open_socket(address.family(), SOCK_STREAM);
  if (!fd) co_return std::unexpected(fd.error());
  SocketOwner socket = own_socket(*fd);
  const int on = 1;
  if (address.family() != AF_UNIX) ::setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  int failure = ::connect(*fd, address.data(), address.size_bytes()) == 0 ? 0 : errno;
  while (failure == EINPROGRESS || failure == EINTR) {
    const Result<void> ready = co_await socket->ready(Direction::write);
    if (!ready) co_return std::unexpected(ready.error());
    failure = outcome_of(*socket);
  }
  if (failure != 0) co_return system_error(failure);
  co_return std::move(socket);
}

std::vector<Address> interleave_families(const std::vector<Address>& addresses) {
  std::vector<Address> order;
  std::vector<Address> others;
  for (const Address& address : addresses) {
    (address.family() == addresses.front().family() ? order : others).push_back(address);
  }
  for (std::size_t i = 0; i != others.size(); ++i) {
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(std::min(2 * i + 1, order.size())), others[i]);
  }
  return order;
}

namespace {

// The state that the attempts of one connect to several addresses share. It is in the frame of connect_to_first() and
// outlives the attempts, because their scope ends first.
class Attempts {
 public:
  void begin() noexcept {
    const std::scoped_lock lock(mutex_);
    ++running_;
  }

  void end(Result<SocketOwner> socket) {
    {
      const std::scoped_lock lock(mutex_);
      --running_;
      if (socket && !winner_) winner_ = std::move(*socket);
      if (!socket && !failure_) failure_ = socket.error();
    }
    ended_.notify_one();
  }

  // Waits until an attempt has ended; returns at once if one ended since the last call.
  [[nodiscard]] Task<> until_one_ended() { co_await ended_.notified(); }

  [[nodiscard]] bool won() const {
    const std::scoped_lock lock(mutex_);
    return winner_ != nullptr;
  }
  [[nodiscard]] bool running() const {
    const std::scoped_lock lock(mutex_);
    return running_ != 0;
  }
  // Returns the connected socket, or the first error. Must be called when no attempt runs any more.
  [[nodiscard]] Result<SocketOwner> take() {
    if (winner_) return std::move(winner_);
    return std::unexpected(*failure_);
  }

 private:
  Notify ended_;
  mutable std::mutex mutex_;
  std::size_t running_ = 0;
  SocketOwner winner_;
  std::optional<std::error_code> failure_;  // the first
};

Task<> attempt(Address address, Borrowed<Attempts> attempts) {
  Result<SocketOwner> socket = error(std::errc::not_enough_memory);
  try {
    socket = co_await connect_stream(address);
  } catch (const std::bad_alloc&) {  // decided: reported like any other error
  }
  attempts.get().end(std::move(socket));
}

Task<> try_in_turn(Scope& scope, Attempts& attempts, const std::vector<Address>& order,
                   std::chrono::nanoseconds delay) {
  for (std::size_t i = 0; i != order.size() && !attempts.won(); ++i) {
    attempts.begin();
    scope.spawn(attempt, order[i], borrow(attempts));
    if (i + 1 == order.size()) break;
    [[maybe_unused]] const Result<void> ended = co_await within(delay, [&] { return attempts.until_one_ended(); });
  }
  while (!attempts.won() && attempts.running()) co_await attempts.until_one_ended();
  scope.cancel();
}

Task<Result<SocketOwner>> connect_to_first(std::vector<Address> order, std::chrono::nanoseconds delay) {
  Attempts attempts;
  co_await with_scope([&](Scope& scope) { return try_in_turn(scope, attempts, order, delay); });
  co_return attempts.take();
}

Result<TcpStream> to_stream(Result<SocketOwner> socket) {
  if (!socket) return std::unexpected(socket.error());
  return TcpStream(std::move(*socket));
}

}  // namespace
}  // namespace net

Task<Result<TcpStream>> TcpStream::connect(Address address) {
  co_return net::to_stream(co_await net::connect_stream(address));
}

Task<Result<TcpStream>> TcpStream::connect(std::vector<Address> addresses, ConnectOptions options) {
  if (addresses.empty()) co_return error(std::errc::invalid_argument);
  if (addresses.size() == 1) co_return net::to_stream(co_await net::connect_stream(addresses.front()));
  co_return net::to_stream(co_await net::connect_to_first(net::interleave_families(addresses), options.attempt_delay));
}

Task<Result<TcpStream>> TcpStream::connect(std::string host, std::uint16_t port, ConnectOptions options) {
  Result<std::vector<Address>> addresses = co_await resolve(std::move(host), port);
  if (!addresses) co_return std::unexpected(addresses.error());
  co_return co_await connect(std::move(*addresses), options);
}

}  // namespace volt
