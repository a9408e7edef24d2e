// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/client_handshake.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "crypto/base64.h"
#include "http/websocket/protocol/deflate_offer.h"
#include "http/websocket/protocol/extension_list.h"
#include "http/websocket/protocol/handshake.h"
#include "tests/http/files/request_fields.h"

namespace volt::http::websocket {
namespace {

using files::FieldPairs;

constexpr const char* kSampleKey = "dGhlIHNhbXBsZSBub25jZQ==";  // RFC 6455 section 1.3
constexpr const char* kSampleAccept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

FieldPairs accepting(const FieldPairs& more = {}) {
  FieldPairs fields = {{"Upgrade", "WebSocket"}, {"Connection", "keep-alive, upgrade"}};
  fields.emplace_back("Sec-WebSocket-Accept", kSampleAccept);
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

FieldPairs choosing(std::string_view extensions) { return accepting({{"Sec-WebSocket-Extensions", extensions}}); }

std::expected<Agreement, WebSocketError> check(const ClientHandshake& handshake, const FieldPairs& fields,
                                               Status status = Status::switching_protocols) {
  return check_response(handshake, status, files::RequestFields(fields).view());
}

}  // namespace

TEST_SUITE_BEGIN("http/websocket/protocol/client_handshake");

TEST_CASE("the request offers what the handshake has") {
  using Pairs = std::vector<std::pair<std::string_view, std::string>>;
  CHECK(ClientHandshake{.key = "k"}.fields() == Pairs{{"Sec-WebSocket-Version", "13"}, {"Sec-WebSocket-Key", "k"}});
  const ClientHandshake all{.key = "k", .protocols = {"b", "a"}, .deflate = true};
  CHECK(all.fields() == Pairs{{"Sec-WebSocket-Version", "13"},
                              {"Sec-WebSocket-Key", "k"},
                              {"Sec-WebSocket-Protocol", "b, a"},
                              {"Sec-WebSocket-Extensions",
                               "permessage-deflate; client_max_window_bits; server_no_context_takeover; "
                               "client_no_context_takeover"}});
  const ClientHandshake keeping{.key = "k", .deflate = true, .deflate_context = true};
  CHECK(keeping.fields().back().second == "permessage-deflate; client_max_window_bits");
  for (const std::vector<std::string>& invalid : std::vector<std::vector<std::string>>{{""}, {"a b"}, {"a", "a"}}) {
    CHECK_THROWS_AS(static_cast<void>(ClientHandshake{.key = "k", .protocols = invalid}.fields()),
                    std::invalid_argument);
  }
}

TEST_CASE("a key is 16 random bytes") {
  const std::string key = random_key();
  const auto bytes = crypto::base64_decode(key);
  REQUIRE(bytes);
  CHECK(bytes->size() == kKeyBytes);
  CHECK(random_key() != key);
}

TEST_CASE("the response is checked, RFC 6455 section 4.1") {
  const ClientHandshake handshake{.key = kSampleKey, .protocols = {"chat", "v2"}};
  using enum WebSocketError;
  using Want = std::expected<Agreement, WebSocketError>;
  const struct {
    std::string why;
    FieldPairs fields;
    Want want;
  } cases[] = {
      {"accepted", accepting(), Agreement{}},
      {"1: no Upgrade",
       {{"Connection", "Upgrade"}, {"Sec-WebSocket-Accept", kSampleAccept}},
       std::unexpected(not_upgraded)},
      {"3: no Connection",
       {{"Upgrade", "websocket"}, {"Sec-WebSocket-Accept", kSampleAccept}},
       std::unexpected(not_upgraded)},
      {"4: no accept", {{"Upgrade", "websocket"}, {"Connection", "Upgrade"}}, std::unexpected(bad_accept)},
      {"4: that of another key",
       {{"Upgrade", "websocket"}, {"Connection", "Upgrade"}, {"Sec-WebSocket-Accept", "AAAAAAAAAAAAAAAAAAAAAAAAAAA="}},
       std::unexpected(bad_accept)},
      {"4: the case of base64 matters",
       {{"Upgrade", "websocket"}, {"Connection", "Upgrade"}, {"Sec-WebSocket-Accept", "S3PPLMBITXAQ9KYGZZHZRBK+XOO="}},
       std::unexpected(bad_accept)},
      {"11.3.3: repeated", accepting({{"Sec-WebSocket-Accept", kSampleAccept}}), std::unexpected(bad_accept)},
      {"6: an offered subprotocol", accepting({{"Sec-WebSocket-Protocol", "v2"}}), Agreement{.protocol = "v2"}},
      {"6: one that was not offered", accepting({{"Sec-WebSocket-Protocol", "v3"}}),
       std::unexpected(unoffered_protocol)},
      {"6: in another case", accepting({{"Sec-WebSocket-Protocol", "V2"}}), std::unexpected(unoffered_protocol)},
      {"6: two", accepting({{"Sec-WebSocket-Protocol", "chat, v2"}}), std::unexpected(unoffered_protocol)},
      {"11.3.4: repeated", accepting({{"Sec-WebSocket-Protocol", "v2"}, {"Sec-WebSocket-Protocol", "v2"}}),
       std::unexpected(unoffered_protocol)},
      {"5: an extension that was not offered", choosing("permessage-deflate"), std::unexpected(unoffered_extension)},
      {"5: malformed", choosing("permessage-deflate; ="), std::unexpected(bad_extension)},
  };
  for (const auto& [why, fields, want] : cases) {
    CAPTURE(why);
    CHECK(check(handshake, fields) == want);
  }
  CHECK(check(handshake, accepting(), Status::ok) == Want(std::unexpected(refused)));
  CHECK(check({.key = kSampleKey}, accepting({{"Sec-WebSocket-Protocol", "chat"}})) ==
        Want(std::unexpected(unoffered_protocol)));
}

TEST_CASE("the accepted parameters of permessage-deflate are checked, RFC 7692 section 7.1") {
  using enum WebSocketError;
  const struct {
    std::string why;
    std::string field;
    bool keep_context;
    std::expected<DeflateParameters, WebSocketError> want;
  } cases[] = {
      {"no parameters", "permessage-deflate", true, DeflateParameters{}},
      {"both ends keep no context", "permessage-deflate; server_no_context_takeover; client_no_context_takeover", true,
       DeflateParameters{.server_no_context_takeover = true, .client_no_context_takeover = true}},
      {"7.1.1.1: the server ignores the offer to keep no context", "permessage-deflate", false,
       std::unexpected(bad_extension)},
      {"7.1.1.2: the client keeps none in any case", "permessage-deflate; server_no_context_takeover", false,
       DeflateParameters{.server_no_context_takeover = true, .client_no_context_takeover = true}},
      {"7.1.2.1: the server's window", "permessage-deflate; server_max_window_bits=8", true,
       DeflateParameters{.server_max_window_bits = 8}},
      {"7.1.2.2: the client's window", "permessage-deflate; client_max_window_bits=9", true,
       DeflateParameters{.client_max_window_bits = 9}},
      {"7.1.2.2: a window that is not supported", "permessage-deflate; client_max_window_bits=8", true,
       std::unexpected(bad_extension)},
      {"7.1.2.2: no value", "permessage-deflate; client_max_window_bits", true, std::unexpected(bad_extension)},
      {"7.1.2.1: not a number", "permessage-deflate; server_max_window_bits=x", true, std::unexpected(bad_extension)},
      {"7.1.1.1: with a value", "permessage-deflate; server_no_context_takeover=1", true,
       std::unexpected(bad_extension)},
      {"a parameter twice", "permessage-deflate; server_max_window_bits=9; server_max_window_bits=9", true,
       std::unexpected(bad_extension)},
      {"an unknown parameter", "permessage-deflate; level=9", true, std::unexpected(bad_extension)},
      {"an extension twice", "permessage-deflate, permessage-deflate", true, std::unexpected(unoffered_extension)},
      {"another extension", "x-webkit-deflate-frame", true, std::unexpected(unoffered_extension)},
  };
  for (const auto& [why, field, keep_context, want] : cases) {
    CAPTURE(why);
    const auto agreed = check({.key = kSampleKey, .deflate = true, .deflate_context = keep_context}, choosing(field));
    CHECK(agreed.has_value() == want.has_value());
    if (agreed && want) CHECK(agreed->deflate == *want);
    if (!agreed && !want) CHECK(agreed.error() == want.error());
  }
}

TEST_CASE("the server accepts what the client offers") {
  for (const bool keep_context : {false, true}) {
    CAPTURE(keep_context);
    const ClientHandshake handshake{
        .key = random_key(), .protocols = {"a"}, .deflate = true, .deflate_context = keep_context};
    std::vector<Extension> offers;
    const std::string offer = handshake.fields().back().second;
    REQUIRE(append_extensions(offer, offers));
    const auto accepted = accept_deflate(offers, true);
    REQUIRE(accepted);
    const std::string accept = accept_key(handshake.key);
    const auto agreed = check(handshake, {{"Upgrade", "websocket"},
                                          {"Connection", "Upgrade"},
                                          {"Sec-WebSocket-Accept", accept},
                                          {"Sec-WebSocket-Extensions", accepted->field}});
    CHECK(agreed == Agreement{.deflate = accepted->parameters});
  }
}

TEST_SUITE_END();

}  // namespace volt::http::websocket
