// SPDX-License-Identifier: MIT

// Which names DNS and the file of hosts answer as the system would, by the `hosts` line of nsswitch.conf(5), and which
// names have an answer of their own (RFC 6761).
//
// Threads: any; functions of their arguments.
#pragma once

#include <cstdint>
#include <string_view>

namespace volt::net {

// Whether `host` can be a name in DNS or in the file of hosts: labels of 1 to 63 bytes and at most 253 bytes in all
// (RFC 1035 section 2.3.4), of printable ASCII without space and backslash. A dot may follow it. International names
// are written as "xn--...".
[[nodiscard]] bool is_host_name(std::string_view host) noexcept;

enum class SpecialName : std::uint8_t {
  none,
  loopback,  // localhost and the names below it (RFC 6761 section 6.3)
  nowhere,   // names below .invalid and .onion, which do not exist in DNS (RFC 6761 section 6.4, RFC 7686)
};

[[nodiscard]] SpecialName special_name(std::string_view host) noexcept;

// Returns whether a module that only getaddrinfo(3) has may answer for `host`, which is not a literal address.
// `nsswitch` is the text of the file; empty if there is none, and libc then uses the files and DNS.
//
//   files, dns, resolve   none: systemd-resolved is asked by DNS as well
//   mdns..                names below .local (RFC 6762 section 3)
//   myhostname            names without a dot, such as this machine's
//   others                each name: LDAP, NIS, machines of a hypervisor ...
[[nodiscard]] bool needs_system(std::string_view nsswitch, std::string_view host) noexcept;

}  // namespace volt::net
