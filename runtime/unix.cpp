// SPDX-License-Identifier: MIT

#include "runtime/unix.h"

#include <sys/socket.h>

#include <cerrno>

#include "runtime/file_descriptor.h"
#include "runtime/internal/connect.h"
#include "runtime/net/socket_calls.h"

namespace volt {
namespace {

Result<std::pair<FileDescriptor, FileDescriptor>> open_pair(int type) {
  int fds[2];
  if (::socketpair(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) != 0) return system_error(errno);
  return std::pair(FileDescriptor(fds[0]), FileDescriptor(fds[1]));
}

Result<UnixStream> to_unix(Result<TcpStream> stream) {
  if (!stream) return std::unexpected(stream.error());
  return UnixStream(std::move(*stream));
}

}  // namespace

Task<Result<UnixStream>> UnixStream::connect(Address address) {
  if (address.family() != AF_UNIX) co_return error(std::errc::invalid_argument);
  Result<net::SocketOwner> socket = co_await net::connect_stream(address);
  if (!socket) co_return std::unexpected(socket.error());
  co_return UnixStream(std::move(*socket));
}

Result<std::pair<UnixStream, UnixStream>> UnixStream::pair() {
  auto fds = open_pair(SOCK_STREAM);
  if (!fds) return std::unexpected(fds.error());
  return std::pair(UnixStream(fds->first.release()), UnixStream(fds->second.release()));
}

Result<PeerCredentials> UnixStream::peer_credentials() const noexcept {
  ucred credentials{};
  socklen_t bytes = sizeof credentials;
  if (::getsockopt(fd(), SOL_SOCKET, SO_PEERCRED, &credentials, &bytes) != 0) return system_error(errno);
  return PeerCredentials{credentials.pid, credentials.uid, credentials.gid};
}

Result<UnixListener> UnixListener::bind(const Address& address, ListenOptions options) {
  if (address.family() != AF_UNIX) return error(std::errc::invalid_argument);
  Result<TcpListener> listener = TcpListener::bind(address, options);
  if (!listener) return std::unexpected(listener.error());
  return UnixListener(std::move(*listener));
}

Task<Result<UnixStream>> UnixListener::accept() { co_return to_unix(co_await listener_.accept()); }

Result<UnixStream> UnixListener::try_accept() noexcept { return to_unix(listener_.try_accept()); }

Result<UnixDatagram> UnixDatagram::bind(const Address& address) {
  if (address.family() != AF_UNIX) return error(std::errc::invalid_argument);
  if (!address.path().empty()) SocketFile::remove_stale(address);
  const Result<int> fd = net::open_socket(AF_UNIX, SOCK_DGRAM);
  if (!fd) return std::unexpected(fd.error());
  if (::bind(*fd, address.data(), address.size_bytes()) != 0) return net::close_failed(*fd);
  return UnixDatagram(*fd, SocketFile(address));
}

Result<UnixDatagram> UnixDatagram::nameless() {
  const Result<int> fd = net::open_socket(AF_UNIX, SOCK_DGRAM);
  if (!fd) return std::unexpected(fd.error());
  return UnixDatagram(*fd);
}

Result<std::pair<UnixDatagram, UnixDatagram>> UnixDatagram::pair() {
  auto fds = open_pair(SOCK_DGRAM);
  if (!fds) return std::unexpected(fds.error());
  return std::pair(UnixDatagram(fds->first.release()), UnixDatagram(fds->second.release()));
}

}  // namespace volt
