// SPDX-License-Identifier: MIT

#include "config/process/sockets.h"

#include <utility>

namespace volt::config {
namespace {

constexpr std::string_view kSystemd = "systemd:";

Result<std::vector<TcpListener>> bind_one(const Address& address) {
  auto listener = TcpListener::bind(address);
  if (!listener) return std::unexpected(listener.error());
  std::vector<TcpListener> listeners;
  listeners.push_back(std::move(*listener));
  return listeners;
}

Result<std::vector<TcpListener>> bind(const std::string& place, std::uint32_t count) {
  if (place == kSystemd) return error(std::errc::no_such_file_or_directory);
  const auto address = Address::parse(place);
  if (!address) return std::unexpected(address.error());
  return address->family() == AF_UNIX ? bind_one(*address) : TcpListener::bind_shared(*address, count);
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

Result<Sockets::Opened> Sockets::open(const std::string& place, std::uint32_t count) {
  Result<std::vector<TcpListener>> listeners = take_inherited(place);
  const bool inherited = !listeners->empty();
  if (!inherited) listeners = bind(place, count);
  if (!listeners) return std::unexpected(listeners.error());
  for (TcpListener& listener : *listeners) {
    // On exit this process removes the socket files that it or the replaced process made. Files that systemd made
    // belong to systemd.
    files_.push_back(listener.take_file());
    if (by_replaced_process_ && place != kSystemd) files_.emplace_back(listener.local_address());
  }
  const Result<void> copied = copy(place, *listeners);
  if (!copied) return std::unexpected(copied.error());
  return Opened{std::move(*listeners), inherited};
}

void Sockets::hand_over() noexcept {
  for (SocketFile& file : files_) file.leave();
  close_copies();
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
