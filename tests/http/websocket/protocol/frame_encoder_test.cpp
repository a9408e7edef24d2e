// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/frame_encoder.h"

#include <doctest/doctest.h>

#include "tests/http/websocket/protocol/decode_events.h"

namespace volt::http::websocket {
using namespace std::string_literals;
TEST_SUITE_BEGIN("http/websocket/protocol/frame_encoder");

TEST_CASE("frames are encoded as in RFC 6455 section 5.7 and RFC 7692 section 7.2.3.1") {
  const struct {
    std::string why;
    FrameHead head;
    std::string payload;
    std::string want;
  } cases[] = {
      {"a text", {.opcode = Opcode::text}, "Hello", "\x81\x05Hello"},
      {"masked", {.mask = kTestMask}, "Hello", "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"},
      {"first fragment", {.final = false}, "Hel", "\x01\x03Hel"},
      {"last fragment", {.opcode = Opcode::continuation}, "lo", "\x80\x02lo"},
      {"ping", {.opcode = Opcode::ping}, "Hello", "\x89\x05Hello"},
      {"pong, masked",
       {.opcode = Opcode::pong, .mask = kTestMask},
       "Hello",
       "\x8a\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"},
      {"compressed", {.compressed = true}, "\xf2\x48\xcd\xc9\xc9\x07\x00"s, "\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00"s},
      {"close without a body", {.opcode = Opcode::close}, "", "\x88\x00"s},
      {"empty, masked", {.mask = kTestMask}, "", "\x81\x80\x37\xfa\x21\x3d"},
  };
  for (const auto& [why, head, payload, want] : cases) {
    CAPTURE(why);
    std::string out = "before";
    append_frame(out, head, payload);
    CHECK(out == "before" + want);
  }
}

TEST_CASE("a length takes as few bytes as possible, RFC 6455 section 5.2") {
  const struct {
    std::size_t size;
    std::string head;
  } cases[] = {
      {125, "\x82\x7d"},
      {126, "\x82\x7e\x00\x7e"s},
      {256, "\x82\x7e\x01\x00"s},
      {65535, "\x82\x7e\xff\xff"},
      {65536, "\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00"s},
  };
  for (const auto& [size, head] : cases) {
    CAPTURE(size);
    std::string out;
    append_frame(out, {.opcode = Opcode::binary}, std::string(size, 'x'));
    CHECK(out.size() == head.size() + size);
    CHECK(out.substr(0, head.size()) == head);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::websocket
