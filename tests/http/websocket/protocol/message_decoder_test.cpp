// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/message_decoder.h"

#include <doctest/doctest.h>

#include "tests/http/websocket/protocol/decode_events.h"

namespace volt::http::websocket {
namespace {

using namespace std::string_literals;
using enum Event::Kind;

constexpr MessageRules kRules{.role = Role::client, .message_bytes_max = 1000};
constexpr MessageRules kDeflateRules{
    .role = Role::client, .message_bytes_max = 200'000, .deflate = DeflateParameters{}};

// Requires an equal outcome for the bytes in one piece, byte by byte, and split in two at every offset.
DecodedEvents decode_all_ways(const std::string& bytes, const MessageRules& rules) {
  DecodedEvents whole = decode_events(bytes, rules);
  CHECK(decode_events_byte_by_byte(bytes, rules) == whole);
  for (std::size_t cut = 1; cut < std::min<std::size_t>(bytes.size(), 400); ++cut) {
    if (decode_events(bytes, rules, {cut}) == whole) continue;
    CAPTURE(cut);
    CHECK(decode_events(bytes, rules, {cut}) == whole);
  }
  return whole;
}

OwnedEvent event(Event::Kind kind, std::string payload, CloseCode code = CloseCode::no_status) {
  return {kind, code, std::move(payload)};
}

std::string frame(Opcode opcode, std::string_view payload, bool final = true, bool compressed = false) {
  std::string out;
  append_frame(out, {.opcode = opcode, .final = final, .compressed = compressed}, payload);
  return out;
}

std::string deflated(const std::string& message) {
  coding::MessageDeflater deflater({.kept = false});
  std::string out;
  deflater.deflate(message, out);
  return out;
}

std::string compressed_binary(const std::string& message) {
  return frame(Opcode::binary, deflated(message), true, true);
}

}  // namespace

TEST_SUITE_BEGIN("http/websocket/protocol/message_decoder");

TEST_CASE("frames become messages and control events, RFC 6455 section 5.4 to 5.6") {
  const struct {
    std::string why;
    std::string bytes;
    std::vector<OwnedEvent> want;
  } cases[] = {
      {"a text", "\x81\x05Hello", {event(text, "Hello")}},
      {"a text in fragments", "\x01\x03Hel\x80\x02lo", {event(text, "Hello")}},
      {"a binary", "\x82\x02\xff\xfe", {event(binary, "\xff\xfe")}},
      {"an empty text", "\x81\x00"s, {event(text, "")}},
      {"a ping", "\x89\x05Hello", {event(ping, "Hello")}},
      {"a pong", "\x8a\x00"s, {event(pong, "")}},
      {"a ping within a message", "\x01\x01x\x89\x01y\x80\x01z", {event(ping, "y"), event(text, "xz")}},
      {"a close", "\x88\x00"s, {event(close, "")}},
      {"a close with its reason", "\x88\x09\x03\xe9so long", {event(close, "so long", CloseCode::going_away)}},
      {"8.1: a character over two fragments", "\x01\x02x\xe6\x80\x02\x97\xa5", {event(text, "x\xe6\x97\xa5")}},
      {"text, then binary that is not UTF-8",
       "\x81\x01x\x82\x01\xff\x81\x01y",
       {event(text, "x"), event(binary, "\xff"), event(text, "y")}},
  };
  for (const auto& [why, bytes, want] : cases) {
    CAPTURE(why);
    CHECK(decode_all_ways(bytes, kRules) == DecodedEvents{want, std::nullopt});
  }
}

TEST_CASE("text that is not UTF-8 is rejected as soon as this is certain, RFC 6455 section 8.1") {
  const struct {
    std::string why;
    std::string bytes;  // The last byte shows the violation.
  } cases[] = {
      {"an invalid byte", "\x81\x02x\xff"},
      {"an invalid byte before the end of its frame", "\x81\x7dxyz\xff"},
      {"an invalid byte in the first fragment", "\x01\x02x\xff"},
      {"an invalid byte in the second fragment", "\x01\x01\xe6\x80\x02\x97x"},
      {"the message ends within a character", "\x81\x02\xe6\x97"},
      {"an empty last fragment ends within a character", "\x01\x02\xe6\x97\x80\x00"s},
      {"a surrogate", "\x81\x03\xed\xa0"},
  };
  for (const auto& [why, bytes] : cases) {
    CAPTURE(why);
    CHECK(decode_all_ways(bytes, kRules) == DecodedEvents{{}, Violation::invalid_utf8});
    CHECK(decode_all_ways(bytes.substr(0, bytes.size() - 1), kRules) == DecodedEvents{});
  }
}

TEST_CASE("events before a violation are returned") {
  const DecodedEvents decoded = decode_all_ways("\x81\x01x\x89\x00\x88\x01\x03"s, kRules);
  CHECK(decoded == DecodedEvents{{event(text, "x"), event(ping, "")}, Violation::bad_close_length});
}

TEST_CASE("compressed messages are decoded as in RFC 7692 section 7.2.3") {
  const std::string hello = "\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00"s;
  const std::string bytes = hello +
                            "\xc1\x05\xf2\x00\x11\x00\x00"s                                  // 7.2.3.2
                            "\x41\x03\xf2\x48\xcd\x80\x04\xc9\xc9\x07\x00"s                  // 7.2.3.1, in fragments
                            "\xc1\x0b\x00\x05\x00\xfa\xff\x48\x65\x6c\x6c\x6f\x00"s          // 7.2.3.3
                            "\xc1\x08\xf3\x48\xcd\xc9\xc9\x07\x00\x00"s                      // 7.2.3.4
                            "\xc1\x0d\xf2\x48\x05\x00\x00\x00\xff\xff\xca\xc9\xc9\x07\x00"s  // 7.2.3.5
                            "\x81\x05Hello"s;  // Section 6: a message may be uncompressed.
  const DecodedEvents want{std::vector(7, event(text, "Hello")), std::nullopt};
  CHECK(decode_all_ways(bytes, kDeflateRules) == want);
  const DecodedEvents empty{{event(text, ""), event(binary, "")}, std::nullopt};
  CHECK(decode_all_ways("\xc1\x01\x00\x42\x00\x00\x01\x00\x80\x00"s, kDeflateRules) == empty);
}

TEST_CASE("a message may refer to the previous message only if keeping the window was negotiated") {
  const std::string bytes = "\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00\xc1\x05\xf2\x00\x11\x00\x00"s;
  MessageRules rules = kDeflateRules;
  rules.deflate->client_no_context_takeover = true;  // This end's own flag has no effect.
  CHECK_FALSE(decode_all_ways(bytes, rules).violation.has_value());
  rules.deflate->server_no_context_takeover = true;  // The peer's flag.
  CHECK(decode_all_ways(bytes, rules) == DecodedEvents{{event(text, "Hello")}, Violation::bad_deflate});
}

TEST_CASE("an inflated message has the limits and the UTF-8 check of an uncompressed message") {
  std::string dense = "\x01\x02\x03";
  for (int i = 0; i < 5000; ++i) dense.push_back(static_cast<char>(i * i >> 5));
  const std::string just = std::string(100'000, 'x') + std::string(100'000, 'y');
  const std::string invalid = "\xc1"s + frame(Opcode::binary, deflated("Hello\xff")).substr(1);
  const struct {
    std::string why;
    std::string bytes;
    std::optional<Violation> want;
  } cases[] = {
      {"the largest message", compressed_binary(just), std::nullopt},
      {"one byte too large", compressed_binary(just + "z"), Violation::message_too_big},
      {"the largest incompressible message", compressed_binary(dense), std::nullopt},
      {"bad deflate data", frame(Opcode::text, "\x07", true, true), Violation::bad_deflate},
      {"the message does not end as deflate requires", frame(Opcode::text, "\xf2\x48", true, true),
       Violation::bad_deflate},
      {"an empty payload is not valid deflate data", frame(Opcode::text, "", true, true), Violation::bad_deflate},
      {"text that is not UTF-8", invalid, Violation::invalid_utf8},
      {"binary that is not UTF-8", compressed_binary("\xff"), std::nullopt},
      {"invalid text before bad data", frame(Opcode::text, "\x00\x01\x00\xfe\xff\xff\x07"s, true, true),
       Violation::invalid_utf8},
  };
  for (const auto& [why, bytes, want] : cases) {
    CAPTURE(why);
    const DecodedEvents decoded = decode_all_ways(bytes, kDeflateRules);
    CHECK(decoded.violation == want);
    CHECK(decoded.events.size() == (want ? 0 : 1));
  }
}

TEST_CASE("a message that exceeds the ratio is rejected, however it is split") {
  const std::string free = compressed_binary(std::string(1'048'576, 'x'));
  const std::string bomb = compressed_binary(std::string(1'800'000, 'x'));
  MessageRules rules{.role = Role::client, .message_bytes_max = 2'000'000, .deflate = DeflateParameters{}};
  const struct {
    std::size_t ratio_max;
    std::optional<Violation> want;
  } cases[] = {{0, Violation::inflated_too_much}, {256, Violation::inflated_too_much}, {1000, std::nullopt}};
  for (const auto& [ratio_max, want] : cases) {
    CAPTURE(ratio_max);
    rules.deflate_ratio_max = ratio_max;
    CHECK(decode_events(bomb, rules).violation == want);
    CHECK(decode_events_byte_by_byte(bomb, rules).violation == want);
    CHECK_FALSE(decode_events(free, rules).violation.has_value());
  }
}

TEST_CASE("a compression bomb is stopped long before its end") {
  const std::string bytes = compressed_binary(std::string(20'000'000, 'x'));
  const MessageRules rules{.role = Role::client, .message_bytes_max = 100'000'000, .deflate = DeflateParameters{}};
  std::size_t held_bytes_max = 0;
  CHECK(decode_events(bytes, rules, {}, &held_bytes_max).violation == Violation::inflated_too_much);
  CHECK(held_bytes_max < 4'000'000);
}

TEST_CASE("memory grows with the received bytes, not with the announced length, and is released") {
  const MessageRules rules{.role = Role::client};
  std::size_t held_bytes_max = 0;
  decode_events("\x02\x7f\x00\x00\x00\x00\x00\x0f\x00\x00 just this"s, rules, {}, &held_bytes_max);
  CHECK(held_bytes_max < 100);

  MessageDecoder decoder(rules);
  std::string fragmented = frame(Opcode::text, std::string(50'000, 'x'), false) + frame(Opcode::continuation, "y");
  std::span<char> unread(fragmented);
  const auto message = decoder.next(unread);
  REQUIRE(message.has_value());
  REQUIRE(message->has_value());
  CHECK((*message)->payload.size() == 50'001);
  CHECK(decoder.held_bytes() >= 50'001);
  const auto nothing = decoder.next(unread);
  REQUIRE(nothing.has_value());
  CHECK_FALSE(nothing->has_value());
  CHECK(decoder.held_bytes() <= MessageDecoder::kKeptBytes);
}

TEST_CASE("a message that was received whole is one view of the input") {
  MessageDecoder decoder(kRules);
  std::string bytes = "\x81\x05Hello";
  std::span<char> unread(bytes);
  const auto message = decoder.next(unread);
  REQUIRE(message.has_value());
  REQUIRE(message->has_value());
  CHECK((*message)->payload.data() == bytes.data() + 2);
}

TEST_SUITE_END();
}  // namespace volt::http::websocket
