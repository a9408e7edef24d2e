// SPDX-License-Identifier: MIT

#include "config/process/sockets.h"

#include <sys/socket.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "config/process/internal/place.h"

namespace volt::config {
namespace {

constexpr std::string_view kSystemd = "systemd:";

Result<std::vector<TcpListener>> bind_one(const Address& address, bool deferred) {
  auto listener = TcpListener::bind(address, {.deferred = deferred});
  if (!listener) return std::unexpected(listener.error());
  std::vector<TcpListener> listeners;
  listeners.push_back(std::move(*listener));
  return listeners;
}

Result<std::vector<TcpListener>> bind(const std::string& place, std::uint32_t count, bool deferred) {
  if (place == kSystemd) return error(std::errc::no_such_file_or_directory);
  const Result<std::vector<Address>> addresses = addresses_of(place);
  if (!addresses) return std::unexpected(addresses.error());
  std::vector<TcpListener> all;
  for (const Address& address : *addresses) {
    auto listeners =
        address.family() == AF_UNIX ? bind_one(address, deferred) : TcpListener::bind_shared(address, count, deferred);
    if (!listeners) return listeners;
    std::ranges::move(*listeners, std::back_inserter(all));
  }
  return all;
}

}  // namespace

std::string listen_fd_name(std::string_view place) {
  std::string name;
  for (const char c : place) {
    if (c == ':') {
      name += "%3A";
    } else if (c == '%') {
      name += "%25";
    } else {
      name += c;
    }
  }
  return name;
}

Result<Sockets::Opened> Sockets::open(const std::string& place, std::uint32_t count, bool deferred) {
  Result<std::vector<TcpListener>> listeners = take_inherited(place);
  const bool inherited = !listeners->empty();
  if (!inherited) listeners = bind(place, count, deferred);
  if (!listeners) return std::unexpected(listeners.error());
  for (TcpListener& listener : *listeners) {
    // On exit, this process removes the files of its unix sockets, including those of listeners that it took over in a
    // hot restart. It leaves the files that systemd created.
    files_.push_back(listener.take_file());
    if (by_replaced_process_ && place != kSystemd) files_.emplace_back(listener.local_address());
  }
  const Result<void> copied = copy(place, *listeners);
  if (!copied) return std::unexpected(copied.error());
  return Opened{std::move(*listeners), inherited};
}

void Sockets::hand_over() noexcept {
  for (SocketFile& file : files_) file.leave();
  copies_.clear();
  handed_over_ = true;
}

std::vector<TcpListener> Sockets::take_inherited(const std::string& place) {
  const bool any_name = place == kSystemd && !by_replaced_process_;
  const std::string name = listen_fd_name(place);
  std::vector<TcpListener> taken;
  std::erase_if(inherited_, [&](InheritedListener& one) {
    if (!any_name && one.name != name) return false;
    taken.push_back(std::move(one.listener));
    return true;
  });
  return taken;
}

Result<void> Sockets::copy(const std::string& place, std::vector<TcpListener>& listeners) {
  for (TcpListener& listener : listeners) {
    const Result<int> fd = listener.duplicate();
    if (!fd) return std::unexpected(fd.error());
    copies_.push_back({listen_fd_name(place), FileDescriptor(*fd)});
  }
  return {};
}

}  // namespace volt::config
