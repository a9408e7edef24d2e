// SPDX-License-Identifier: MIT

// DnsServer: a name server on loopback (RFC 1035), over UDP and TCP on one port, whose answers a function of the test
// chooses. It remembers what it was asked.
//
//   DnsServer server([](const DnsAsked& asked) -> DnsReply {
//     if (asked.name == "a.test" && asked.type == DnsType::a) return {.records = {dns_a("192.0.2.1", 60)}};
//     return {.code = kNxDomain};
//   });
//
// Threads: the function runs on a thread of the server's own; the rest any.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/address.h"
#include "tests/support/sockets.h"

namespace volt::test {

enum class DnsType : std::uint16_t { a = 1, cname = 5, aaaa = 28 };

inline constexpr std::uint8_t kServFail = 2;
inline constexpr std::uint8_t kNxDomain = 3;

struct DnsAsked {
  std::string name;
  DnsType type{};
  bool over_tcp = false;
};

struct DnsRecord {
  DnsType type{};
  std::uint32_t ttl_s = 0;
  std::string data;
  std::string owner = {};  // empty: the name that was asked for
};

[[nodiscard]] DnsRecord dns_a(const std::string& address, std::uint32_t ttl_s);
[[nodiscard]] DnsRecord dns_aaaa(const std::string& address, std::uint32_t ttl_s);
[[nodiscard]] DnsRecord dns_cname(std::string_view target, std::uint32_t ttl_s);
[[nodiscard]] DnsRecord owned_by(std::string owner, DnsRecord record);

struct DnsReply {
  std::uint8_t code = 0;  // RCODE
  std::vector<DnsRecord> records = {};
  bool silent = false;        // no answer
  bool truncated = false;     // over UDP: no records, and the bit that asks for TCP
  bool forged_first = false;  // before the answer, one for 203.0.113.66 with another id
};

class DnsServer {
 public:
  explicit DnsServer(std::function<DnsReply(const DnsAsked&)> script);
  ~DnsServer();
  DnsServer(const DnsServer&) = delete;
  DnsServer& operator=(const DnsServer&) = delete;

  [[nodiscard]] const Address& address() const noexcept { return address_; }
  [[nodiscard]] std::vector<DnsAsked> queries() const;
  // How often `name` was asked for, in any type.
  [[nodiscard]] std::size_t asked(std::string_view name) const;

 private:
  void serve();
  void answer_datagram();
  bool answer_connection(int fd);
  [[nodiscard]] std::vector<std::string> answers(std::string_view query, bool over_tcp);

  const std::function<DnsReply(const DnsAsked&)> script_;
  Descriptor stop_;
  Descriptor udp_;
  Descriptor listener_;
  Address address_;
  mutable std::mutex mutex_;
  std::vector<DnsAsked> queries_;
  std::thread thread_;  // last member: the thread uses the others
};

}  // namespace volt::test
