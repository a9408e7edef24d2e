// SPDX-License-Identifier: MIT

#include "http/route/internal/host_table.h"

#include <algorithm>
#include <stdexcept>

#include "http/message/ascii.h"
#include "http/message/host_port.h"

namespace volt::http::route {
namespace {

bool valid_address(std::string_view host) noexcept {
  if (host.size() < 4 || !host.starts_with('[') || !host.ends_with(']')) return false;
  return std::ranges::all_of(host.substr(1, host.size() - 2),
                             [](char c) { return message::is_hex(c) || c == ':' || c == '.'; });
}

bool valid_name(std::string_view name) noexcept {
  if (name.empty() || name.starts_with('.') || name.find("..") != std::string_view::npos) return false;
  return std::ranges::all_of(
      name, [](char c) { return message::is_alpha(c) || message::is_digit(c) || message::contains("-_.", c); });
}

// Returns the key of a route's host. Throws std::invalid_argument for an invalid host.
std::string_view key_of(std::string_view host, const HostName& name) {
  const bool wildcard = host.starts_with("*.");
  if (wildcard ? valid_name(host.substr(2)) : valid_name(host) || valid_address(host)) {
    if (!name.view().empty()) return name.view().substr(wildcard ? 1 : 0);
  }
  throw std::invalid_argument("invalid host '" + std::string(host) +
                              "' for a route: use a name or *.name, without a port");
}

}  // namespace

HostName::HostName(std::string_view host) noexcept {
  std::string_view name = message::without_port(host);
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.starts_with('.') || name.size() > kBytesMax) return;
  std::ranges::transform(name, bytes_.begin(), message::to_lower);
  size_ = name.size();
}

std::size_t HostTable::add(std::string_view host) {
  if (host.empty()) return kAnyHost;
  const HostName name(host);
  const std::string_view key = key_of(host, name);
  if (const auto number = find(key)) return *number;
  const std::size_t number = size();
  const auto place = std::ranges::lower_bound(numbers_, key, {}, &std::pair<std::string, std::size_t>::first);
  numbers_.emplace(place, key, number);
  return number;
}

std::optional<std::size_t> HostTable::find(std::string_view key) const noexcept {
  const auto place = std::ranges::lower_bound(numbers_, key, {}, &std::pair<std::string, std::size_t>::first);
  if (place == numbers_.end() || place->first != key) return std::nullopt;
  return place->second;
}

}  // namespace volt::http::route
