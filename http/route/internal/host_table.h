// SPDX-License-Identifier: MIT

// HostTable: gives a number to each host that routes are bound to, and finds the numbers that serve a request's host.
// The most specific host comes first: the exact name, then "*.name" with the longest name, then the routes of all
// hosts.
//
// Names are compared without regard to case, port and trailing dot (RFC 9110 section 4.2.3, RFC 1034 section 3.1).
//
// Threads: filled by one thread, then only read, by any number of threads.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace volt::http::route {

// A host in the form in which the table compares hosts: in lower case, without port and trailing dot. view() is empty
// for text that is not a name because it is empty, too long, or begins with a dot.
class HostName {
 public:
  explicit HostName(std::string_view host) noexcept;
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }

 private:
  static constexpr std::size_t kBytesMax = 253;  // maximum length of a name as text, RFC 1035 section 2.3.4

  std::size_t size_ = 0;
  std::array<char, kBytesMax> bytes_;
};

class HostTable {
 public:
  static constexpr std::size_t kAnyHost = 0;

  // Adds a host and returns its number. `host` is "" (any host), "name" or "*.name", without a port; otherwise throws
  // std::invalid_argument. "" has the number kAnyHost, and each new host gets the next number. A host that was added
  // before keeps its number.
  std::size_t add(std::string_view host);

  // Returns how many numbers exist.
  [[nodiscard]] std::size_t size() const noexcept { return numbers_.size() + 1; }

  // Calls `visit` with the number of each entry that serves `host`, until a call returns true. `host` is the host of a
  // request, as received.
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
