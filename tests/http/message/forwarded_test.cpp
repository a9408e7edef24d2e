// SPDX-License-Identifier: MIT

#include "http/message/forwarded.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/http/message/fields_of.h"

namespace volt::http::message {
namespace {

const std::string kProxy = "10.0.0.1";
const std::string kNoField;

std::string client(const std::string& peer, const FieldsOf& fields, ForwardedField field) {
  const std::vector trusted{Cidr::parse("10.0.0.0/8").value(), Cidr::parse("fd00::/8").value()};
  return client_address(IpAddress::parse(peer).value(), fields.view(), field, trusted).to_string();
}

}  // namespace

TEST_SUITE_BEGIN("http/message/forwarded");

TEST_CASE("a node is an address, with or without a port (RFC 7239 section 6)") {
  const struct {
    std::string why, node, want;  // want: empty if there is no address
  } cases[] = {
      {"IPv4", "192.0.2.43", "192.0.2.43"},
      {"IPv4 and port", "192.0.2.43:47011", "192.0.2.43"},
      {"IPv6", "[2001:db8:cafe::17]", "2001:db8:cafe::17"},
      {"IPv6 and port", "[2001:db8:cafe::17]:4711", "2001:db8:cafe::17"},
      {"an obfuscated port", "192.0.2.43:_http", "192.0.2.43"},
      {"X-Forwarded-For has no brackets", "2001:db8::1", "2001:db8::1"},
      {"IPv4 in IPv6", "::ffff:192.0.2.1", "192.0.2.1"},
      {"unknown", "unknown", ""},
      {"obfuscated", "_SEVKISEK", ""},
      {"empty", "", ""},
      {"empty port", "192.0.2.43:", ""},
      {"a port too long", "192.0.2.43:123456", ""},
      {"a port of letters", "192.0.2.43:http", ""},
      {"an obfuscated port without a name", "192.0.2.43:_", ""},
      {"brackets that are not closed", "[::1", ""},
      {"trailing bytes", "[::1]x", ""},
      {"IPv4 in brackets", "[192.0.2.43]", ""},
      {"empty brackets", "[]", ""},
      {"a name", "client.example", ""},
      {"a name and port", "client.example:80", ""},
      {"a zone", "fe80::1%eth0", ""},
  };
  for (const auto& [why, node, want] : cases) {
    CAPTURE(why);
    const auto address = parse_node(node);
    CHECK((address ? address->to_string() : "") == want);
  }
}

TEST_CASE("X-Forwarded-For is read from the right, as far as proxies are trusted") {
  const struct {
    std::string why, peer, field, want;
  } cases[] = {
      {"the peer's element", kProxy, "203.0.113.7", "203.0.113.7"},
      {"a peer that is not trusted", "198.51.100.1", "203.0.113.7", "198.51.100.1"},
      {"an element that the client wrote", kProxy, "1.1.1.1, 203.0.113.7", "203.0.113.7"},
      {"two proxies", kProxy, "203.0.113.7, 10.0.0.2", "203.0.113.7"},
      {"two proxies, and a forgery", kProxy, "1.1.1.1,203.0.113.7,10.0.0.2", "203.0.113.7"},
      {"a forged proxy before the client", kProxy, "1.1.1.1, 10.9.9.9, 203.0.113.7", "203.0.113.7"},
      {"all trusted: the leftmost address", kProxy, "10.0.0.3, 10.0.0.2", "10.0.0.3"},
      {"no field", kProxy, kNoField, kProxy},
      {"empty elements", kProxy, ",, 203.0.113.7 ,, ", "203.0.113.7"},
      {"commas only", kProxy, ",,,", kProxy},
      {"ports", kProxy, "203.0.113.7:5000, 10.0.0.2:80", "203.0.113.7"},
      {"IPv6", kProxy, "2001:db8::7, fd00::1", "2001:db8::7"},
      {"IPv6 and port", kProxy, "[2001:db8::7]:443", "2001:db8::7"},
      {"a proxy that does not know", kProxy, "203.0.113.7, unknown", kProxy},
      {"junk from a proxy", kProxy, "203.0.113.7, <script>", kProxy},
      {"quotes are not part of the grammar", kProxy, "203.0.113.7, \"\"", kProxy},
      {"junk from the client is not reached", kProxy, "\"[, 203.0.113.7", "203.0.113.7"},
      {"junk before a second proxy", kProxy, "\"[, 10.0.0.2", "10.0.0.2"},
      {"the peer in mapped IPv6 form", "::ffff:10.0.0.1", "203.0.113.7", "203.0.113.7"},
  };
  for (const auto& [why, peer, field, want] : cases) {
    CAPTURE(why);
    FieldsOf fields{{"Host", "a"}};
    if (field != kNoField) fields.add("X-Forwarded-For", field);
    CHECK(client(peer, fields, ForwardedField::x_forwarded_for) == want);
    CHECK(client(peer, fields, ForwardedField::forwarded) == IpAddress::parse(peer)->to_string());
  }
}

TEST_CASE("Forwarded is read like X-Forwarded-For, by the grammar of RFC 7239 section 4") {
  const struct {
    std::string why, field, want;
  } cases[] = {
      {"a token", "for=203.0.113.7", "203.0.113.7"},
      {"the name in capitals", "For=203.0.113.7", "203.0.113.7"},
      {"quoted", "for=\"203.0.113.7:80\"", "203.0.113.7"},
      {"IPv6", "for=\"[2001:db8::7]:4711\"", "2001:db8::7"},
      {"needless escapes", R"(for="\2\03.0.113.7")", "203.0.113.7"},
      {"among other parameters", "proto=https;for=203.0.113.7;by=10.0.0.1", "203.0.113.7"},
      {"empty pairs", ";for=203.0.113.7;;", "203.0.113.7"},
      {"two proxies", "for=203.0.113.7, for=10.0.0.2;proto=http", "203.0.113.7"},
      {"an element that the client wrote", "for=1.1.1.1, for=203.0.113.7", "203.0.113.7"},
      {"a comma in quotes", "for=203.0.113.7;host=\"a, for=1.1.1.1\"", "203.0.113.7"},
      {"an escaped quote and a comma", R"(for=203.0.113.7;host="a\", for=1.1.1.1, b")", "203.0.113.7"},
      {"backslashes before the closing quote", R"(for=203.0.113.7;host="a, b\\")", "203.0.113.7"},
      {"a quote that the client left open", "for=\"1.1.1.1, for=203.0.113.7", "203.0.113.7"},
      {"an open quote of the client before a quoted element", "for=\"1.1.1.1, for=\"203.0.113.7\"", "203.0.113.7"},
      {"a backslash that the client left open", "for=\"1.1.1.1\\, for=\"[2001:db8::7]\"", "2001:db8::7"},
      {"unknown", "for=203.0.113.7, for=unknown", "10.0.0.1"},
      {"obfuscated", "for=203.0.113.7, for=_gazonk", "10.0.0.1"},
      {"no for", "for=203.0.113.7, proto=https", "10.0.0.1"},
      {"a repeated for", "for=203.0.113.7;for=1.1.1.1", "10.0.0.1"},
      {"IPv6 without quotes", "for=[2001:db8::7]", "10.0.0.1"},
      {"no name-value pair", "203.0.113.7", "10.0.0.1"},
      {"an empty value", "for=", "10.0.0.1"},
      {"empty quotes", "for=\"\"", "10.0.0.1"},
      {"a quote alone", "for=\"", "10.0.0.1"},
      {"an escaped quote without an end", "for=\"\\", "10.0.0.1"},
      {"trailing bytes after the quotes", "for=\"203.0.113.7\"x", "10.0.0.1"},
      {"space around the pair", "for =203.0.113.7", "10.0.0.1"},
      {"a node far too long", "for=\"" + std::string(300, '1') + "\"", "10.0.0.1"},
      {"empty elements", ",for=203.0.113.7,,", "203.0.113.7"},
  };
  for (const auto& [why, field, want] : cases) {
    CAPTURE(why);
    CHECK(client(kProxy, FieldsOf{{"Forwarded", field}}, ForwardedField::forwarded) == want);
  }
}

TEST_CASE("several fields form one list") {
  const FieldsOf fields{{"x-forwarded-for", "203.0.113.7, 10.0.0.4"},
                        {"Forwarded", "for=1.1.1.1"},
                        {"X-Forwarded-For", ""},
                        {"X-FORWARDED-FOR", "10.0.0.3"}};
  CHECK(client(kProxy, fields, ForwardedField::x_forwarded_for) == "203.0.113.7");
  CHECK(client(kProxy, fields, ForwardedField::forwarded) == "1.1.1.1");
}

TEST_CASE("without trusted proxies the peer is the client") {
  const FieldsOf fields{{"X-Forwarded-For", "203.0.113.7"}};
  CHECK(client_address(IpAddress::parse(kProxy).value(), fields.view(), ForwardedField::x_forwarded_for, {})
            .to_string() == kProxy);
}

TEST_SUITE_END();
}  // namespace volt::http::message
