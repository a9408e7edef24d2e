#include "runtime/tcp.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "runtime/log.h"
#include "runtime/sched/clock.h"
#include "runtime/time.h"

namespace volt {
namespace {

constexpr auto kPauseWithoutDescriptors = std::chrono::milliseconds(100);
constexpr std::int64_t kLogsApartNs = 1'000'000'000;

bool would_block(const std::error_code& code) { return code == std::errc::operation_would_block; }

std::unexpected<std::error_code> transfer_error(int number) {
  if (number == EAGAIN) return error(std::errc::operation_would_block);
  return system_error(number);
}

// Not recv(3) and send(3): those are cancellation points of POSIX threads, and pay for it on each call.
ssize_t receive(int fd, void* into, std::size_t bytes, int flags) noexcept {
  return ::syscall(SYS_recvfrom, fd, into, bytes, flags, nullptr, nullptr);
}
ssize_t transmit(int fd, const void* from, std::size_t bytes, int flags) noexcept {
  return ::syscall(SYS_sendto, fd, from, bytes, MSG_NOSIGNAL | flags, nullptr, 0);
}

int open_reserve() noexcept { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

// The error of the system call that has just failed; `fd` is closed.
std::unexpected<std::error_code> close_failed(int fd) {
  const int number = errno;
  ::close(fd);
  return system_error(number);
}

void set_tcp_options(int fd, const ListenOptions& options) noexcept {
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (options.reuse_port) ::setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // accepted sockets inherit it
}

Result<int> socket_option(int fd, int option) {
  int value = 0;
  socklen_t bytes = sizeof value;
  if (::getsockopt(fd, SOL_SOCKET, option, &value, &bytes) != 0) return system_error(errno);
  return value;
}

Result<Address> local_address_of(int fd) {
  sockaddr_storage storage{};
  socklen_t bytes = sizeof storage;
  auto* local = reinterpret_cast<sockaddr*>(&storage);
  if (::getsockname(fd, local, &bytes) != 0) return system_error(errno);
  return Address::from(local, bytes);
}

}  // namespace

// ---- TcpStream ----

Result<std::size_t> TcpStream::try_read(std::span<std::byte> into) noexcept {
  const Result<std::size_t> count = try_receive(into, 0);
  // A read that did not fill its buffer has drained the socket; the next edge tells of more.
  socket_->set_more_to_read(count && *count == into.size());
  return count;
}

Result<std::size_t> TcpStream::try_peek(std::span<std::byte> into) noexcept {
  socket_->set_more_to_read(false);
  return try_receive(into, MSG_PEEK);
}

Result<std::size_t> TcpStream::try_receive(std::span<std::byte> into, int flags) noexcept {
  for (;;) {
    const ssize_t count = receive(socket_->fd(), into.data(), into.size(), flags);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    // Nothing there, yet the reactor said that the direction has ended: it could not watch the socket.
    if (errno == EAGAIN && socket_->ended(net::Direction::read)) return system_error(ECONNRESET);
    return transfer_error(errno);
  }
}

Result<std::size_t> TcpStream::try_write(std::span<const std::byte> from) noexcept { return try_transmit(from, 0); }

Result<std::size_t> TcpStream::try_write_before_file(std::span<const std::byte> from) noexcept {
  return try_transmit(from, MSG_MORE);
}

Result<std::size_t> TcpStream::try_transmit(std::span<const std::byte> from, int flags) noexcept {
  for (;;) {
    const ssize_t count = transmit(socket_->fd(), from.data(), from.size(), flags);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    if (errno == EAGAIN && socket_->ended(net::Direction::write)) return system_error(ECONNRESET);  // as in try_read
    return transfer_error(errno);
  }
}

Result<std::size_t> TcpStream::try_send_file(int fd, std::uint64_t offset, std::size_t size) noexcept {
  for (;;) {
    auto position = static_cast<off_t>(offset);
    const ssize_t count = ::sendfile(socket_->fd(), fd, &position, size);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    if (errno == EAGAIN && socket_->ended(net::Direction::write)) return system_error(ECONNRESET);  // as in try_read
    return transfer_error(errno);
  }
}

Task<Result<std::size_t>> TcpStream::read(std::span<std::byte> into) {
  for (;;) {
    const Result<void> ready = co_await readable();
    if (!ready) co_return std::unexpected(ready.error());
    Result<std::size_t> count = try_read(into);
    if (count || !would_block(count.error())) co_return count;
  }
}

Task<Result<void>> TcpStream::write_all(std::span<const std::byte> from) {
  while (!from.empty()) {
    const Result<std::size_t> count = try_write(from);
    if (count) {
      from = from.subspan(*count);
      continue;
    }
    if (!would_block(count.error())) co_return std::unexpected(count.error());
    const Result<void> ready = co_await writable();
    if (!ready) co_return std::unexpected(ready.error());
  }
  co_return Result<void>{};
}

void TcpStream::set_deadline_in(net::Direction direction, std::chrono::nanoseconds limit) noexcept {
  const bool never = limit == std::chrono::nanoseconds::max();
  const std::int64_t now = sched::current()->worker->tick_time_ns();
  socket_->set_deadline(direction, never ? sched::TimerNode::kNever : sched::moment_after(now, limit));
}

void TcpStream::shutdown_write() noexcept { ::shutdown(socket_->fd(), SHUT_WR); }

void TcpStream::abort_on_close() noexcept {
  const linger reset{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_->fd(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  socket_->never_shut_down();
}

Result<Address> TcpStream::peer_address() const noexcept {
  sockaddr_storage storage{};
  socklen_t bytes = sizeof storage;
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  if (::getpeername(socket_->fd(), address, &bytes) != 0) return system_error(errno);
  return Address::from(address, bytes);
}

// ---- TcpListener ----

Result<TcpListener> TcpListener::bind(const Address& address, ListenOptions options) {
  const std::string path(address.path());
  if (!path.empty()) SocketFile::remove_stale(address);
  const int fd = ::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return system_error(errno);
  if (address.family() != AF_UNIX) set_tcp_options(fd, options);
  if (::bind(fd, address.data(), address.size_bytes()) != 0) return close_failed(fd);
  SocketFile file(address);
  // The mode first: nobody can connect before it listens.
  if (!path.empty() && ::chmod(path.c_str(), options.file_mode) != 0) return close_failed(fd);
  if (::listen(fd, options.backlog) != 0) return close_failed(fd);
  const Result<Address> local = local_address_of(fd);
  if (!local) return close_failed(fd);
  return TcpListener(fd, *local, std::move(file));
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
  listener.socket_->never_shut_down();  // whoever made it may listen as well
  return listener;
}

Result<int> TcpListener::duplicate() {
  const int fd = ::fcntl(socket_->fd(), F_DUPFD_CLOEXEC, 0);
  if (fd < 0) return system_error(errno);
  socket_->never_shut_down();  // it would end for the other one too
  return fd;
}

TcpListener::TcpListener(int fd, const Address& local_address, SocketFile file)
    : socket_(new net::Socket(fd)), file_(std::move(file)), local_address_(local_address), reserve_fd_(open_reserve()) {
  socket_->set_more_to_read(true);
}

TcpListener::TcpListener(TcpListener&& other) noexcept
    : socket_(std::move(other.socket_)),
      file_(std::move(other.file_)),
      local_address_(other.local_address_),
      reserve_fd_(std::exchange(other.reserve_fd_, -1)),
      quiet_until_ns_(other.quiet_until_ns_) {}

TcpListener& TcpListener::operator=(TcpListener&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(file_, other.file_);
  std::swap(local_address_, other.local_address_);
  std::swap(reserve_fd_, other.reserve_fd_);
  std::swap(quiet_until_ns_, other.quiet_until_ns_);
  return *this;
}

TcpListener::~TcpListener() {
  if (reserve_fd_ >= 0) ::close(reserve_fd_);
}

Result<TcpStream> TcpListener::try_accept() noexcept {
  const int fd = ::accept4(socket_->fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  socket_->set_more_to_read(fd >= 0 || errno != EAGAIN);
  if (fd < 0) return transfer_error(errno);
  return TcpStream(fd);
}

Task<Result<TcpStream>> TcpListener::accept() {
  for (;;) {
    const Result<void> ready = co_await socket_->ready(net::Direction::read);
    if (!ready) co_return std::unexpected(ready.error());
    Result<TcpStream> accepted = try_accept();
    if (accepted) co_return accepted;
    switch (const int number = accepted.error().value()) {
      case EMFILE:
      case ENFILE:
      case ENOBUFS:
      case ENOMEM:
        co_await pause_without_descriptors(number);
        break;
      case EBADF:
      case EINVAL:
      case ENOTSOCK:
      case EOPNOTSUPP:
        co_return accepted;
      default:  // nothing there, or the connection's own trouble (accept(2), "Error handling"): the next may be well
        break;
    }
  }
}

Task<> TcpListener::pause_without_descriptors(int error_number) {
  if (reserve_fd_ >= 0) {
    ::close(reserve_fd_);
    const int refused = ::accept4(socket_->fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (refused >= 0) ::close(refused);
    reserve_fd_ = open_reserve();
  }
  const std::int64_t now = sched::now_ns();
  if (now >= quiet_until_ns_) {
    quiet_until_ns_ = now + kLogsApartNs;
    log(LogLevel::warning, "cannot accept connections, trying again",
        {{"address", local_address_.to_string()},
         {"error", std::system_category().message(error_number)},
         {"again_in", kPauseWithoutDescriptors}});
  }
  co_await sleep_for(kPauseWithoutDescriptors);
}

static_assert(ByteStream<TcpStream>);

}  // namespace volt
