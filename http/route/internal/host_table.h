// HostTable: numbers for the hosts that routes are bound to, and which of them a request's host means, the most specific
// first: the very name, then "*.name" with the longest name, at last the routes of all hosts.
//
// Names are compared without case, port and trailing dot (RFC 9110 section 4.2.3, RFC 1034 section 3.1).
//
// Threads: filled by one, then only read, by any.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace volt::http::route {

// A host as the table compares it. Empty for what is no name: nothing there, too long, or an empty first label.
class HostName {
 public:
  explicit HostName(std::string_view host) noexcept;
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }

 private:
  static constexpr std::size_t kBytesMax = 253;  // RFC 1035 section 2.3.4, as text

  std::size_t size_ = 0;
  std::array<char, kBytesMax> bytes_;
};

class HostTable {
 public:
  static constexpr std::size_t kAnyHost = 0;

  // "" (any host), "name" or "*.name", without a port. The numbers count up from kAnyHost, the same for the same host.
  // Throws std::invalid_argument for what is neither.
  std::size_t add(std::string_view host);

  // How many numbers there are.
  [[nodiscard]] std::size_t size() const noexcept { return numbers_.size() + 1; }

  // Calls `visit` with each number that serves the host, as it came with a request, until one returns true.
  template <class Visit>
  void visit(std::string_view host, Visit visit) const {
    if (!numbers_.empty() && visit_named(HostName(host).view(), visit)) return;
    visit(kAnyHost);
  }

 private:
  template <class Visit>
  bool visit_named(std::string_view name, Visit& visit) const {
    if (const auto exact = find(name); exact && visit(*exact)) return true;
    for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
      if (const auto above = find(name.substr(dot)); above && visit(*above)) return true;
    }
    return false;
  }

  [[nodiscard]] std::optional<std::size_t> find(std::string_view key) const noexcept;

  std::vector<std::pair<std::string, std::size_t>> numbers_;  // sorted; the key of "*.name" is ".name"
};

}  // namespace volt::http::route
