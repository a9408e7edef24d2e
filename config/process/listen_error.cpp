// SPDX-License-Identifier: MIT

#include "config/process/listen_error.h"

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

namespace volt::config {
namespace {

constexpr std::uint16_t kFirstUnprivilegedPort = 1024;

std::optional<std::uint16_t> port_of(std::string_view place) {
  const std::size_t colon = place.rfind(':');
  if (place.starts_with("unix:") || colon == std::string_view::npos) return std::nullopt;
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(place.data() + colon + 1, place.data() + place.size(), port);
  if (error != std::errc{} || end != place.data() + place.size()) return std::nullopt;
  return port;
}

// Returns the names that /proc/PID/fd shows for sockets that listen on the port. `table` is /proc/net/tcp or tcp6
// (proc_net(5)): the second column is the local address with the port in hexadecimal, the fourth the state, the tenth
// the inode.
void add_listening_sockets(const char* table, std::uint16_t port, std::set<std::string>& sockets) {
  constexpr std::string_view kListening = "0A";
  std::ifstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream columns(line);
    std::string number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
    columns >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >> timeout >> inode;
    const std::size_t colon = local.find(':');
    if (state != kListening || colon == std::string::npos) continue;
    if (std::strtoul(local.c_str() + colon + 1, nullptr, 16) == port) sockets.insert("socket:[" + inode + "]");
  }
}

bool holds_one_of(const std::filesystem::path& process, const std::set<std::string>& sockets) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(process / "fd", ignored)) {
    if (sockets.contains(std::filesystem::read_symlink(entry.path(), ignored).string())) return true;
  }
  return false;
}

// Returns the process that listens on the port, as "NAME (process PID)"; empty if it cannot be found.
std::string holder_of(std::uint16_t port) {
  std::set<std::string> sockets;
  add_listening_sockets("/proc/net/tcp", port, sockets);
  add_listening_sockets("/proc/net/tcp6", port, sockets);
  if (sockets.empty()) return {};
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string id = entry.path().filename().string();
    if (id.find_first_not_of("0123456789") != std::string::npos || !holds_one_of(entry.path(), sockets)) continue;
    std::string name;
    std::getline(std::ifstream(entry.path() / "comm"), name);
    return name + " (process " + id + ")";
  }
  return {};
}

}  // namespace

std::string explain_listen_error(const std::string& place, std::error_code error) {
  std::string text = "cannot listen on " + place + ": " + error.message();
  const std::optional<std::uint16_t> port = port_of(place);
  if (!port) return text;
  if (error == std::errc::permission_denied && *port < kFirstUnprivilegedPort) {
    return text +
           ". Ports below 1024 need the capability CAP_NET_BIND_SERVICE (setcap, AmbientCapabilities= of systemd, "
           "docker run --cap-add), or a lower net.ipv4.ip_unprivileged_port_start.";
  }
  if (error == std::errc::address_in_use) {
    if (const std::string holder = holder_of(*port); !holder.empty()) return text + ", by " + holder;
  }
  return text;
}

}  // namespace volt::config
