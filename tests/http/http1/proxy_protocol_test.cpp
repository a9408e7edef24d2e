// SPDX-License-Identifier: MIT

#include "http/http1/proxy_protocol.h"

#include <doctest/doctest.h>

#include <string>

#include "crypto/bytes.h"
#include "tests/crypto/hex.h"

namespace volt::http::http1 {
namespace {

using message::IpAddress;
using State = ProxyHeader::State;

const std::string kSignature("\r\n\r\n\0\r\nQUIT\n", 12);

std::string hex(std::string_view digits) { return std::string(crypto::as_text(crypto::from_hex(digits))); }

std::string with_length(std::string_view command_and_family, std::size_t bytes) {
  std::string fixed = kSignature + hex(command_and_family);
  fixed += static_cast<char>(bytes >> 8);
  fixed += static_cast<char>(bytes & 255);
  return fixed;
}

std::string v2(std::string_view command_and_family, const std::string& block) {
  return with_length(command_and_family, block.size()) + block;
}

std::string text_of(const ProxyEndpoint& endpoint) {
  return endpoint.address.to_string() + " " + std::to_string(endpoint.port);
}

// Returns "source destination", "no client", or the reason why there is neither.
std::string outcome(const ProxyHeader& header) {
  switch (header.state) {
    case State::need_more:
      return "more";
    case State::invalid:
      return "invalid";
    case State::done:
      break;
  }
  return header.route ? text_of(header.route->source) + " " + text_of(header.route->destination) : "no client";
}

const std::string kV4Block = hex("cb007107 c0000201 d431 01bb");
const std::string kV6Block = hex("20010db8000000000000000000000007 20010db8000000000000000000000001 d431 01bb");

struct Case {
  std::string why, header, want;
};

const Case kHeaders[] = {
    {"v1, IPv4", "PROXY TCP4 203.0.113.7 192.0.2.1 54321 443\r\n", "203.0.113.7 54321 192.0.2.1 443"},
    {"v1, IPv6", "PROXY TCP6 2001:db8::7 2001:db8::1 54321 443\r\n", "2001:db8::7 54321 2001:db8::1 443"},
    {"v1, the longest IPv4", "PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n",
     "255.255.255.255 65535 255.255.255.255 65535"},
    {"v1, port 0", "PROXY TCP4 203.0.113.7 192.0.2.1 0 0\r\n", "203.0.113.7 0 192.0.2.1 0"},
    {"v1, unknown", "PROXY UNKNOWN\r\n", "no client"},
    {"v1, unknown and more, of 107 bytes", "PROXY UNKNOWN " + std::string(91, 'f') + "\r\n", "no client"},
    {"v2, IPv4", v2("2111", kV4Block), "203.0.113.7 54321 192.0.2.1 443"},
    {"v2, IPv6", v2("2121", kV6Block), "2001:db8::7 54321 2001:db8::1 443"},
    {"v2, with TLVs", v2("2111", kV4Block + hex("030004 fd16b48d 020001 61")), "203.0.113.7 54321 192.0.2.1 443"},
    {"v2, 4 KiB in all", v2("2111", kV4Block + std::string(4096 - 16 - 12, 'x')), "203.0.113.7 54321 192.0.2.1 443"},
    {"v2, local", v2("2000", ""), "no client"},
    {"v2, local, whatever its family", v2("20ff", kV4Block), "no client"},
    {"v2, unspecified", v2("2100", "abc"), "no client"},
    {"v2, Unix", v2("2131", std::string(216, '\0')), "no client"},
};

}  // namespace

TEST_SUITE_BEGIN("http/http1/proxy_protocol");

TEST_CASE("headers of both versions are decoded in any split, before the client's bytes") {
  const std::string rest = "GET / HTTP/1.1\r\n";
  for (const auto& [why, header, want] : kHeaders) {
    CAPTURE(why);
    for (std::size_t bytes = 0; bytes < header.size(); ++bytes) {
      CHECK(decode_proxy_header(header.substr(0, bytes)) == ProxyHeader{});
    }
    const ProxyHeader whole = decode_proxy_header(header);
    CHECK(outcome(whole) == want);
    CHECK(whole.bytes == header.size());
    CHECK(decode_proxy_header(header + rest) == whole);
  }
}

TEST_CASE("an invalid header is refused at its first wrong byte") {
  const std::string tcp4 = "PROXY TCP4 ";
  const Case cases[] = {
      {"no header at all", "G", "invalid"},
      {"another word", "PROXZ", "invalid"},
      {"lower case", "proxy", "invalid"},
      {"v1, no family", "PROXY \r\n", "invalid"},
      {"v1, an unknown family", "PROXY TCP5 1.1.1.1 2.2.2.2 1 2\r\n", "invalid"},
      {"v1, no addresses", "PROXY TCP4\r\n", "invalid"},
      {"v1, one address", tcp4 + "1.1.1.1 1 2\r\n", "invalid"},
      {"v1, a word too many", tcp4 + "1.1.1.1 2.2.2.2 1 2 3\r\n", "invalid"},
      {"v1, a trailing space", tcp4 + "1.1.1.1 2.2.2.2 1 2 \r\n", "invalid"},
      {"v1, two spaces", tcp4 + "1.1.1.1  2.2.2.2 1 2\r\n", "invalid"},
      {"v1, a tab", tcp4 + "1.1.1.1\t2.2.2.2 1 2\r\n", "invalid"},
      {"v1, IPv6 as IPv4", tcp4 + "::1 ::2 1 2\r\n", "invalid"},
      {"v1, IPv4 as IPv6", "PROXY TCP6 1.1.1.1 2.2.2.2 1 2\r\n", "invalid"},
      {"v1, a name", tcp4 + "a.example 2.2.2.2 1 2\r\n", "invalid"},
      {"v1, a port too large", tcp4 + "1.1.1.1 2.2.2.2 65536 2\r\n", "invalid"},
      {"v1, a port with a zero in front", tcp4 + "1.1.1.1 2.2.2.2 01 2\r\n", "invalid"},
      {"v1, a port with a sign", tcp4 + "1.1.1.1 2.2.2.2 +1 2\r\n", "invalid"},
      {"v1, no port", tcp4 + "1.1.1.1 2.2.2.2 1 \r\n", "invalid"},
      {"v1, a bare LF does not end it", tcp4 + "1.1.1.1 2.2.2.2 1 2\n", "more"},
      {"v1, 107 bytes without CRLF", "PROXY UNKNOWN" + std::string(94, ' '), "invalid"},
      {"v1, CRLF after 107 bytes", "PROXY UNKNOWN " + std::string(92, 'f') + "\r\n", "invalid"},
      {"v2, the signature cut off", kSignature.substr(0, 11) + "X", "invalid"},
      {"v2, version 1", kSignature + hex("11"), "invalid"},
      {"v2, version 3", kSignature + hex("31"), "invalid"},
      {"v2, an unknown command", kSignature + hex("22"), "invalid"},
      {"v2, UDP", v2("2112", kV4Block), "invalid"},
      {"v2, an unassigned family", v2("2141", kV4Block), "invalid"},
      {"v2, an unassigned protocol", v2("2113", kV4Block), "invalid"},
      {"v2, addresses too short", v2("2111", kV4Block.substr(1)), "invalid"},
      {"v2, IPv4's addresses as IPv6", v2("2121", kV4Block), "invalid"},
      {"v2, over 4 KiB, refused before the block arrives", with_length("2111", 4096 - 16 + 1), "invalid"},
      {"v2, the longest possible length", with_length("2000", 65535), "invalid"},
  };
  for (const auto& [why, bytes, want] : cases) {
    CAPTURE(why);
    CHECK(outcome(decode_proxy_header(bytes)) == want);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::http1
