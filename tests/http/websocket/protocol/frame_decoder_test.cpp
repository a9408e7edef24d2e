// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/frame_decoder.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "tests/http/websocket/protocol/decode_events.h"

namespace volt::http::websocket {
namespace {

using namespace std::string_literals;

constexpr FrameRules kClientRules{.role = Role::client, .message_bytes_max = 70'000};
constexpr FrameRules kServerRules{.message_bytes_max = 70'000};
constexpr FrameRules kDeflateRules{.role = Role::client, .deflate = true, .message_bytes_max = 1000};

// The result of decoding: "opcode:payload" for each message, whose pieces are joined, and for each control frame, and
// the violation, if there was one.
struct Outcome {
  std::vector<std::string> frames;
  std::optional<Violation> violation;

  bool operator==(const Outcome&) const = default;
};

std::string name(const FramePiece& piece) {
  std::string text = std::to_string(static_cast<int>(piece.opcode));
  return text.append(piece.compressed ? "z" : "").append(":");
}

Outcome decode(const std::string& bytes, const FrameRules& rules, std::size_t step) {
  FrameDecoder decoder(rules);
  Outcome outcome;
  std::string message;
  for (std::size_t begin = 0; begin < bytes.size(); begin += step) {
    std::string read = bytes.substr(begin, step);
    for (std::span<char> unread(read);;) {
      const auto piece = decoder.decode(unread);
      if (!piece) {
        outcome.violation = piece.error();
        return outcome;
      }
      if (!*piece) {
        CHECK(unread.empty());
        break;
      }
      const bool control = is_control((*piece)->opcode);
      if ((*piece)->begins_message) CHECK(message.empty());
      if (control || (*piece)->begins_message) (control ? outcome.frames.emplace_back() : message) += name(**piece);
      (control ? outcome.frames.back() : message) += (*piece)->payload;
      if ((*piece)->ends_message) outcome.frames.push_back(std::exchange(message, {}));
    }
  }
  return outcome;
}

Outcome decode_all_ways(const std::string& bytes, const FrameRules& rules) {
  const Outcome whole = decode(bytes, rules, bytes.size());
  for (std::size_t step = 1; step < std::min<std::size_t>(bytes.size(), 30); ++step) {
    CAPTURE(step);
    CHECK(decode(bytes, rules, step) == whole);
  }
  return whole;
}

}  // namespace

TEST_SUITE_BEGIN("http/websocket/protocol/frame_decoder");

TEST_CASE("frames of a server are decoded as in RFC 6455 section 5.7, however they are split") {
  const struct {
    std::string why;
    std::string bytes;
    std::vector<std::string> want;
  } cases[] = {
      {"a text", "\x81\x05Hello", {"1:Hello"}},
      {"fragmented", "\x01\x03Hel\x80\x02lo", {"1:Hello"}},
      {"a ping", "\x89\x05Hello", {"9:Hello"}},
      {"256 bytes", "\x82\x7e\x01\x00"s + std::string(256, 'x'), {"2:" + std::string(256, 'x')}},
      {"64 KiB",
       "\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00"s + std::string(65536, 'x'),
       {"2:" + std::string(65536, 'x')}},
      {"nothing", "\x81\x00"s, {"1:"}},
      {"empty fragments", "\x01\x00\x00\x00\x80\x00"s, {"1:"}},
      {"the largest control frame", "\x8a\x7d" + std::string(125, 'x'), {"10:" + std::string(125, 'x')}},
      {"5.4: control frames between fragments",
       "\x01\x01x\x89\x01y\x00\x01z\x8a\x00\x80\x01w"s,
       {"9:y", "10:", "1:xzw"}},
      {"several messages", "\x81\x01x\x02\x01y\x80\x01z\x88\x00"s, {"1:x", "2:yz", "8:"}},
      {"an incomplete head", "\x81", {}},
      {"an incomplete payload", "\x81\x02x", {}},
      {"an incomplete message", "\x01\x02xy", {}},
  };
  for (const auto& [why, bytes, want] : cases) {
    CAPTURE(why);
    CHECK(decode_all_ways(bytes, kClientRules) == Outcome{want, std::nullopt});
  }
}

TEST_CASE("frames of a client are unmasked, RFC 6455 section 5.7") {
  const std::string hello = "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58";
  CHECK(decode_all_ways(hello + hello, kServerRules) == Outcome{{"1:Hello", "1:Hello"}, std::nullopt});
  std::string bytes;
  std::string want;
  for (int i = 0; i < 300; ++i) want.push_back(static_cast<char>(i));
  append_frame(bytes, {.opcode = Opcode::binary, .final = false, .mask = Mask{1, 2, 3, 4}}, want.substr(0, 290));
  append_frame(bytes, {.opcode = Opcode::ping, .mask = kTestMask}, "in between");
  append_frame(bytes, {.opcode = Opcode::continuation, .mask = Mask{0xff, 0, 0xff, 0}}, want.substr(290));
  CHECK(decode_all_ways(bytes, kServerRules) == Outcome{{"9:in between", "2:" + want}, std::nullopt});
}

TEST_CASE("a message that was received whole is one view of the input") {
  FrameDecoder decoder(kClientRules);
  std::string bytes = "\x81\x05Hello\x81";
  std::span<char> unread(bytes);
  const auto piece = decoder.decode(unread);
  REQUIRE(piece.has_value());
  REQUIRE(piece->has_value());
  CHECK(**piece == FramePiece{Opcode::text, true, true, false, "Hello"});
  CHECK((*piece)->payload.data() == bytes.data() + 2);
  CHECK(unread.size() == 1);
}

TEST_CASE("an invalid frame is rejected at the byte that shows it") {
  using enum Violation;
  const struct {
    std::string why;
    const FrameRules& rules;
    std::string bytes;  // The last byte shows the violation.
    Violation want;
  } cases[] = {
      {"5.2: RSV1 without deflate", kClientRules, "\xc1", reserved_bits},
      {"5.2: RSV2", kDeflateRules, "\xa1", reserved_bits},
      {"5.2: RSV3", kDeflateRules, "\x91", reserved_bits},
      {"7692 6.1: RSV1 on a continuation", kDeflateRules, "\x41\x01x\xc0", reserved_bits},
      {"7692 6.1: RSV1 on a control frame", kDeflateRules, "\xc9", reserved_bits},
      {"5.2: opcode 3", kClientRules, "\x83", reserved_opcode},
      {"5.2: opcode 7", kClientRules, "\x87", reserved_opcode},
      {"5.2: opcode 11", kClientRules, "\x8b", reserved_opcode},
      {"5.2: opcode 15", kClientRules, "\x8f", reserved_opcode},
      {"5.2: a reserved opcode within a message", kClientRules, "\x01\x01x\x84", reserved_opcode},
      {"5.5: a ping in fragments", kClientRules, "\x09", fragmented_control},
      {"5.5: a close in fragments", kClientRules, "\x08", fragmented_control},
      {"5.5: a ping of 126 bytes", kClientRules, "\x89\x7e", long_control},
      {"5.5: a ping of 64 bits of length", kClientRules, "\x89\x7f", long_control},
      {"5.4: continuation first", kClientRules, "\x80", stray_continuation},
      {"5.4: a continuation after a whole message", kClientRules, "\x81\x01x\x00"s, stray_continuation},
      {"5.4: a continuation after a fragmented message", kClientRules, "\x01\x01x\x80\x01y\x80", stray_continuation},
      {"5.4: text within a text", kClientRules, "\x01\x01x\x81", interleaved_message},
      {"5.4: binary within a text, after a ping", kClientRules, "\x01\x01x\x89\x00\x02"s, interleaved_message},
      {"5.1: a server must not mask", kClientRules, "\x81\x80", masked},
      {"5.1: a client must mask", kServerRules, "\x81\x05", unmasked},
      {"5.1: a client must mask a close", kServerRules, "\x88\x00"s, unmasked},
      {"5.2: 125 in 16 bits", kClientRules, "\x82\x7e\x00\x7d"s, length_not_minimal},
      {"5.2: 0 in 64 bits", kClientRules, "\x82\x7f\x00\x00\x00\x00\x00\x00\x00\x00"s, length_not_minimal},
      {"5.2: 65535 in 64 bits", kClientRules, "\x82\x7f\x00\x00\x00\x00\x00\x00\xff\xff"s, length_not_minimal},
      {"5.2: 2^63", kClientRules, "\x82\x7f\x80\x00\x00\x00\x00\x00\x00\x00"s, length_out_of_range},
      {"5.2: 2^64 - 1", kClientRules, "\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xff"s, length_out_of_range},
      {"2^63 - 1 is valid, but too big", kClientRules, "\x82\x7f\x7f\xff\xff\xff\xff\xff\xff\xff"s, message_too_big},
      {"one byte too much", kClientRules, "\x82\x7f\x00\x00\x00\x00\x00\x01\x11\x71"s, message_too_big},
      {"one byte too much, in two fragments", kDeflateRules, "\x02\x7d" + std::string(125, 'x') + "\x80\x7e\x03\x6c"s,
       message_too_big},
      {"too many compressed bytes", kDeflateRules, "\xc2\x7e\x04\x67", message_too_big},
  };
  for (const auto& [why, rules, bytes, want] : cases) {
    CAPTURE(why);
    CHECK(decode_all_ways(bytes, rules).violation == want);
    CHECK_FALSE(decode_all_ways(bytes.substr(0, bytes.size() - 1), rules).violation.has_value());
  }
}

TEST_CASE("a message may be as large as the limit, which applies to each message") {
  const std::string whole = "\x82\x7e\x03\xe8" + std::string(1000, 'x');
  const std::string halves = "\x02\x7e\x01\xf4" + std::string(500, 'x') + "\x80\x7e\x01\xf4" + std::string(500, 'x');
  const Outcome outcome = decode_all_ways(whole + halves + whole, kDeflateRules);
  CHECK_FALSE(outcome.violation.has_value());
  CHECK(outcome.frames.size() == 3);
}

TEST_CASE("RSV1 of the first frame marks a compressed message, RFC 7692 section 6") {
  const Outcome outcome = decode_all_ways("\x41\x01x\x80\x01y\x81\x01z\xc2\x01w", kDeflateRules);
  CHECK(outcome == Outcome{{"1z:xy", "1:z", "2z:w"}, std::nullopt});
}

TEST_SUITE_END();
}  // namespace volt::http::websocket
