// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/handshake.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace volt::http::websocket {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

// The example of RFC 6455 section 1.3, without its Origin and Sec-WebSocket-Protocol.
const Lines kGood = {{"Host", "server.example.com"},
                     {"Upgrade", "websocket"},
                     {"Connection", "Upgrade"},
                     {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="},
                     {"Sec-WebSocket-Version", "13"}};

// `changes` replace the fields with their name; an empty value removes a field.
Lines changed(const Lines& changes) {
  Lines lines;
  for (const auto& line : kGood) {
    const bool replaced = std::ranges::any_of(changes, [&](const auto& change) { return change.first == line.first; });
    if (!replaced) lines.push_back(line);
  }
  for (const auto& change : changes) {
    if (!change.second.empty()) lines.push_back(change);
  }
  return lines;
}

std::expected<Acceptance, Refusal> respond(const Lines& lines, const WebSocketOptions& options = {},
                                           message::RequestHead head = {}) {
  std::string text;
  std::vector<message::FieldSpan> spans;
  for (const auto& [name, value] : lines) {
    message::FieldSpan span;
    span.name_begin = static_cast<std::uint32_t>(text.size());
    span.name_bytes = static_cast<std::uint32_t>(name.size());
    text += name;
    span.value_begin = static_cast<std::uint32_t>(text.size());
    span.value_bytes = static_cast<std::uint32_t>(value.size());
    text += value;
    spans.push_back(span);
  }
  head.host = "server.example.com";
  head.fields = Fields(text.data(), spans);
  return accept_handshake(head, options);
}

}  // namespace

TEST_SUITE_BEGIN("http/websocket/protocol/handshake");

TEST_CASE("the example of RFC 6455 section 1.3 is accepted") {
  const auto accepted =
      respond(changed({{"Origin", "http://example.com"}, {"Sec-WebSocket-Protocol", "chat, superchat"}}),
              {.protocols = {"superchat", "chat"}, .origins = {"http://example.com"}});
  REQUIRE(accepted.has_value());
  CHECK(accepted->accept == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  CHECK(accepted->fields().lines() ==
        "Upgrade: websocket\r\n"
        "Connection: Upgrade\r\n"
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
        "Sec-WebSocket-Protocol: superchat\r\n");
  CHECK_FALSE(accepted->deflate.has_value());
}

TEST_CASE("an invalid handshake is rejected, RFC 6455 section 4.2") {
  constexpr int kAccepted = 101;
  const struct {
    std::string why;
    Lines changes;
    int want;
  } cases[] = {
      {"a valid handshake", {}, kAccepted},
      {"tokens are case-insensitive, in lists",
       {{"Upgrade", "h2c, WebSocket"}, {"Connection", "keep-alive, UPGRADE"}},
       kAccepted},
      {"over several fields", {{"Connection", "keep-alive"}, {"Connection", "upgrade"}}, kAccepted},
      {"unknown extensions and protocols",
       {{"Sec-WebSocket-Protocol", "a"}, {"Sec-WebSocket-Extensions", "b; c=1"}},
       kAccepted},

      {"4.2.1: no Upgrade", {{"Upgrade", ""}}, 426},
      {"4.2.1: another protocol", {{"Upgrade", "h2c"}}, 426},
      {"4.2.1: a longer protocol", {{"Upgrade", "websocket2"}}, 426},
      {"9110 7.8: Connection does not name Upgrade", {{"Connection", "keep-alive"}}, 426},
      {"9110 7.8: no Connection", {{"Connection", ""}}, 426},
      {"4.4: no version", {{"Sec-WebSocket-Version", ""}}, 426},
      {"4.4: an older version", {{"Sec-WebSocket-Version", "8"}}, 426},
      {"4.4: a list of versions", {{"Sec-WebSocket-Version", "13, 8"}}, 426},
      {"4.4: another spelling", {{"Sec-WebSocket-Version", "013"}}, 426},
      {"11.3.5: two versions", {{"Sec-WebSocket-Version", "13"}, {"Sec-WebSocket-Version", "13"}}, 400},

      {"4.2.1: no key", {{"Sec-WebSocket-Key", ""}}, 400},
      {"11.3.1: two keys",
       {{"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}, {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}},
       400},
      {"4.2.1: 15 bytes", {{"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25j"}}, 400},
      {"4.2.1: 17 bytes", {{"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZWU="}}, 400},
      {"4.2.1: not base64", {{"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25j!Q=="}}, 400},
      {"4.2.1: no padding", {{"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ"}}, 400},

      {"10.2: another page", {{"Origin", "http://evil.example"}}, 403},
      {"10.2: an allowed page", {{"Origin", "https://server.example.com"}}, kAccepted},
      {"6454 7.3: two origins",
       {{"Origin", "https://server.example.com"}, {"Origin", "https://server.example.com"}},
       400},
      {"10.2: a list, which browsers do not send",
       {{"Origin", "https://server.example.com, http://evil.example"}},
       403},

      {"11.3.4: a protocol that is not a token", {{"Sec-WebSocket-Protocol", "a b"}}, 400},
      {"9110 5.6.1.2: empty elements", {{"Sec-WebSocket-Protocol", "a,,b,"}}, kAccepted},
      {"9.1: malformed extensions", {{"Sec-WebSocket-Extensions", "permessage-deflate;"}}, 400},
      {"9.1: malformed extensions in the second field",
       {{"Sec-WebSocket-Extensions", "a"}, {"Sec-WebSocket-Extensions", "b;=1"}},
       400},
  };
  for (const auto& [why, changes, want] : cases) {
    CAPTURE(why);
    const auto answered = respond(changed(changes));
    CHECK((answered ? kAccepted : code(answered.error().status)) == want);
    if (!answered) CHECK_FALSE(answered.error().why.empty());
  }
}

TEST_CASE("a handshake is a GET request of HTTP/1.1, RFC 6455 section 4.2.1") {
  const auto post = respond(kGood, {}, {.method = Method::post});
  REQUIRE_FALSE(post.has_value());
  CHECK(post.error().status == Status::bad_request);
  const auto old =
      respond(kGood, {}, {.version = Version::http_1_0});  // RFC 9110 section 7.8: HTTP/1.0 has no Upgrade.
  REQUIRE_FALSE(old.has_value());
  CHECK(old.error().status == Status::upgrade_required);
}

TEST_CASE("426 names the required protocol and version, RFC 6455 section 4.4 and RFC 9110 section 15.5.22") {
  const auto refused = respond(changed({{"Sec-WebSocket-Version", "8"}}));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().fields().lines() ==
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n");
  const auto other = respond(changed({{"Sec-WebSocket-Key", ""}}));
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().fields().empty());
}

TEST_CASE("the first configured protocol that the client offers is chosen") {
  const WebSocketOptions options{.protocols = {"v2", "v1"}};
  const struct {
    std::string why;
    Lines offered;
    std::string want;
  } cases[] = {
      {"no protocol is offered", {}, ""},
      {"the server's order decides", {{"Sec-WebSocket-Protocol", "v1, v2"}}, "v2"},
      {"only the second is offered", {{"Sec-WebSocket-Protocol", "v0,v1"}}, "v1"},
      {"over several fields", {{"Sec-WebSocket-Protocol", "v0"}, {"Sec-WebSocket-Protocol", "v2"}}, "v2"},
      {"case-sensitive", {{"Sec-WebSocket-Protocol", "V1"}}, ""},
      {"a part of a name does not match", {{"Sec-WebSocket-Protocol", "v11"}}, ""},
  };
  for (const auto& [why, offered, want] : cases) {
    CAPTURE(why);
    const auto accepted = respond(changed(offered), options);
    REQUIRE(accepted.has_value());
    CHECK(accepted->protocol == want);
  }
}

TEST_CASE("deflate is negotiated if the route enables it") {
  const Lines offer = changed({{"Sec-WebSocket-Extensions", "foo, permessage-deflate; client_max_window_bits"}});
  CHECK(respond(offer).value().extensions.empty());
  const auto kept = respond(offer, {.deflate = true, .deflate_context = true});
  REQUIRE(kept.has_value());
  CHECK((kept->deflate == DeflateParameters{}));
  CHECK(kept->fields().find("sec-websocket-extensions") == "permessage-deflate");
  const auto emptied = respond(offer, {.deflate = true});
  REQUIRE(emptied.has_value());
  CHECK(
      (emptied->deflate == DeflateParameters{.server_no_context_takeover = true, .client_no_context_takeover = true}));
  CHECK(emptied->extensions == "permessage-deflate; server_no_context_takeover; client_no_context_takeover");
  CHECK_FALSE(respond(kGood, {.deflate = true}).value().deflate.has_value());
}

TEST_SUITE_END();
}  // namespace volt::http::websocket
