// SPDX-License-Identifier: MIT

#include "tests/support/dns_server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "runtime/base/check.h"

namespace volt::test {
namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kTypeAndClassBytes = 4;

void put_16(std::string& message, std::uint32_t value) {
  message += static_cast<char>(value >> 8 & 0xff);
  message += static_cast<char>(value & 0xff);
}

std::uint16_t read_16(std::string_view message, std::size_t at) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(message[at]) << 8 |
                                    static_cast<unsigned char>(message[at + 1]));
}

std::string encoded(std::string_view name) {
  std::string bytes;
  while (!name.empty()) {
    const std::string_view label = name.substr(0, name.find('.'));
    bytes += static_cast<char>(label.size());
    bytes += label;
    name.remove_prefix(std::min(label.size() + 1, name.size()));
  }
  return bytes + '\0';
}

// Returns the name of the question, and moves `at` behind it.
std::string question_name(std::string_view query, std::size_t& at) {
  std::string name;
  while (query.at(at) != 0) {
    const auto bytes = static_cast<std::size_t>(query[at]);
    name += (name.empty() ? "" : ".") + std::string(query.substr(at + 1, bytes));
    at += 1 + bytes;
  }
  ++at;
  return name;
}

DnsRecord address_record(DnsType type, int family, const std::string& address, std::uint32_t ttl_s) {
  char bytes[16];
  VOLT_CHECK(::inet_pton(family, address.c_str(), bytes) == 1);
  return {.type = type, .ttl_s = ttl_s, .data = std::string(bytes, family == AF_INET ? 4 : 16)};
}

// `question` is that of the query, with its type and class.
std::string message(std::uint32_t id, const DnsReply& reply, bool truncated, std::string_view name,
                    std::string_view question) {
  constexpr std::uint32_t kResponse = 0x8180;  // QR, RD and RA
  constexpr std::uint32_t kTruncated = 0x0200;
  std::string bytes;
  put_16(bytes, id);
  put_16(bytes, kResponse | (truncated ? kTruncated : 0) | reply.code);
  put_16(bytes, 1);
  put_16(bytes, truncated ? 0 : static_cast<std::uint32_t>(reply.records.size()));
  put_16(bytes, 0);
  put_16(bytes, 0);
  bytes += question;
  if (truncated) return bytes;
  for (const DnsRecord& record : reply.records) {
    bytes += encoded(record.owner.empty() ? name : record.owner);
    put_16(bytes, static_cast<std::uint32_t>(record.type));
    put_16(bytes, 1);  // the class of the Internet
    put_16(bytes, record.ttl_s >> 16);
    put_16(bytes, record.ttl_s);
    put_16(bytes, static_cast<std::uint32_t>(record.data.size()));
    bytes += record.data;
  }
  return bytes;
}

Address bound_address(int fd) {
  sockaddr_storage storage{};
  socklen_t bytes = sizeof storage;
  VOLT_CHECK(::getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &bytes) == 0);
  return Address::from(reinterpret_cast<sockaddr*>(&storage), bytes);
}

}  // namespace

DnsRecord dns_a(const std::string& address, std::uint32_t ttl_s) {
  return address_record(DnsType::a, AF_INET, address, ttl_s);
}
DnsRecord dns_aaaa(const std::string& address, std::uint32_t ttl_s) {
  return address_record(DnsType::aaaa, AF_INET6, address, ttl_s);
}
DnsRecord dns_cname(std::string_view target, std::uint32_t ttl_s) {
  return {.type = DnsType::cname, .ttl_s = ttl_s, .data = encoded(target)};
}
DnsRecord owned_by(std::string owner, DnsRecord record) {
  record.owner = std::move(owner);
  return record;
}

DnsServer::DnsServer(std::function<DnsReply(const DnsAsked&)> script)
    : script_(std::move(script)), stop_(::eventfd(0, EFD_CLOEXEC)) {
  const Address any = Address::parse("127.0.0.1:0").value();
  for (bool bound = false; !bound;) {  // again, if another socket has the port of the UDP socket for TCP
    udp_ = Descriptor(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    VOLT_CHECK(::bind(udp_.get(), any.data(), any.size_bytes()) == 0);
    address_ = bound_address(udp_.get());
    listener_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    bound = ::bind(listener_.get(), address_.data(), address_.size_bytes()) == 0;
  }
  VOLT_CHECK(::listen(listener_.get(), 64) == 0);
  thread_ = std::thread([this] { serve(); });
}

DnsServer::~DnsServer() {
  static_cast<void>(::eventfd_write(stop_.get(), 1));
  thread_.join();
}

std::vector<DnsAsked> DnsServer::queries() const {
  const std::scoped_lock lock(mutex_);
  return queries_;
}

std::size_t DnsServer::asked(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count(queries_, name, &DnsAsked::name));
}

void DnsServer::serve() {
  std::vector<Descriptor> connections;
  for (;;) {
    std::vector<pollfd> polled;
    for (const int fd : {stop_.get(), udp_.get(), listener_.get()}) polled.push_back({fd, POLLIN, 0});
    for (const Descriptor& connection : connections) polled.push_back({connection.get(), POLLIN, 0});
    ::poll(polled.data(), polled.size(), -1);
    if (polled[0].revents != 0) return;
    if (polled[1].revents != 0) answer_datagram();
    for (std::size_t i = connections.size(); i != 0; --i) {
      if (polled[i + 2].revents == 0 || answer_connection(connections[i - 1].get())) continue;
      connections.erase(connections.begin() + static_cast<std::ptrdiff_t>(i - 1));
    }
    if (polled[2].revents != 0) {
      connections.emplace_back(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    }
  }
}

void DnsServer::answer_datagram() {
  char bytes[2048];
  sockaddr_storage from{};
  socklen_t from_bytes = sizeof from;
  auto* const sender = reinterpret_cast<sockaddr*>(&from);
  const ssize_t count = ::recvfrom(udp_.get(), bytes, sizeof bytes, MSG_DONTWAIT, sender, &from_bytes);
  if (count <= 0) return;
  for (const std::string& answer : answers({bytes, static_cast<std::size_t>(count)}, false)) {
    ::sendto(udp_.get(), answer.data(), answer.size(), 0, sender, from_bytes);
  }
}

// Returns false if the connection is over. A client sends a whole query at once, so the reads do not block for long.
bool DnsServer::answer_connection(int fd) {
  const std::string length = receive_exactly(fd, 2);
  if (length.size() != 2) return false;
  const std::string query = receive_exactly(fd, read_16(length, 0));
  for (const std::string& answer : answers(query, true)) {
    std::string framed;  // RFC 1035 section 4.2.2
    put_16(framed, static_cast<std::uint32_t>(answer.size()));
    if (!send_all(fd, framed + answer)) return false;
  }
  return true;
}

std::vector<std::string> DnsServer::answers(std::string_view query, bool over_tcp) {
  std::size_t at = kHeaderBytes;
  DnsAsked asked{.over_tcp = over_tcp};
  asked.name = question_name(query, at);
  asked.type = static_cast<DnsType>(read_16(query, at));
  const std::string_view question = query.substr(kHeaderBytes, at + kTypeAndClassBytes - kHeaderBytes);
  {
    const std::scoped_lock lock(mutex_);
    queries_.push_back(asked);
  }
  const DnsReply reply = script_(asked);
  if (reply.silent) return {};
  const std::uint32_t id = read_16(query, 0);
  std::vector<std::string> messages;
  if (reply.forged_first) {
    const DnsReply forged{.records = {dns_a("203.0.113.66", 60)}};
    messages.push_back(message(id + 1, forged, false, asked.name, question));
  }
  messages.push_back(message(id, reply, reply.truncated && !over_tcp, asked.name, question));
  return messages;
}

}  // namespace volt::test
