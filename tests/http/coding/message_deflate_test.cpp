// SPDX-License-Identifier: MIT

#include "http/coding/message_deflate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace volt::http::coding {
namespace {

using namespace std::string_literals;

constexpr std::size_t kBytesMax = 1 << 20;

std::string deflated(MessageDeflater& deflater, std::string_view message) {
  std::string out;
  deflater.deflate(message, out);
  return out;
}

// Inflates `bytes` in steps of `step` bytes; nullopt if they are refused.
std::optional<std::string> inflated(MessageInflater& inflater, std::string_view bytes, std::size_t step = 1000) {
  std::string out;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) {
    if (inflater.inflate(bytes.substr(0, step), out, kBytesMax) != Inflated::ok) return std::nullopt;
  }
  if (inflater.finish(out, kBytesMax) != Inflated::ok) return std::nullopt;
  return out;
}

std::string noise(std::size_t size) {
  std::string bytes;
  for (std::uint32_t seed = 1; bytes.size() < size;) {
    seed = seed * 1664525 + 1013904223;
    bytes.push_back(static_cast<char>(seed >> 24));
  }
  return bytes;
}

}  // namespace

TEST_SUITE_BEGIN("http/coding/message_deflate");

TEST_CASE("messages are inflated as in the examples of RFC 7692 section 7.2.3") {
  const struct {
    std::string why;
    std::string bytes;
    std::string want;
  } cases[] = {
      {"7.2.3.1: one block", "\xf2\x48\xcd\xc9\xc9\x07\x00"s, "Hello"},
      {"7.2.3.2: a reference to the previous message", "\xf2\x00\x11\x00\x00"s, "Hello"},
      {"7.2.3.3: no compression", "\x00\x05\x00\xfa\xff\x48\x65\x6c\x6c\x6f\x00"s, "Hello"},
      {"7.2.3.4: a final block", "\xf3\x48\xcd\xc9\xc9\x07\x00\x00"s, "Hello"},
      {"7.2.3.2 after a final block: the window is kept", "\xf2\x00\x11\x00\x00"s, "Hello"},
      {"7.2.3.5: two blocks", "\xf2\x48\x05\x00\x00\x00\xff\xff\xca\xc9\xc9\x07\x00"s, "Hello"},
      {"7.2.3.6: empty", "\x00"s, ""},
  };
  for (const std::size_t step : {1, 2, 1000}) {
    CAPTURE(step);
    MessageInflater inflater({});
    for (const auto& [why, bytes, want] : cases) {
      CAPTURE(why);
      CHECK((inflated(inflater, bytes, step) == want));
    }
  }
}

TEST_CASE("messages are deflated as in the examples of RFC 7692 section 7.2.3") {
  MessageDeflater kept({});
  CHECK(deflated(kept, "Hello") == "\xf2\x48\xcd\xc9\xc9\x07\x00"s);
  CHECK(deflated(kept, "Hello") == "\xf2\x00\x11\x00\x00"s);
  CHECK(deflated(kept, "") == "\x00"s);
  CHECK(deflated(kept, "") == "\x00"s);
  MessageDeflater emptied({.kept = false});
  CHECK(deflated(emptied, "Hello") == "\xf2\x48\xcd\xc9\xc9\x07\x00"s);
  CHECK(deflated(emptied, "Hello") == "\xf2\x48\xcd\xc9\xc9\x07\x00"s);
}

TEST_CASE("a message that is not deflate, or ends within a block, is refused") {
  const struct {
    std::string why;
    std::string bytes;
  } cases[] = {
      {"block type 3", "\x07"},
      {"a stored block whose length is not its complement", "\x00\x05\x00\xfb\xff\x48\x65\x6c\x6c\x6f\x00"s},
      {"a reference before the first byte", "\xf2\x00\x11\x00\x00"s},
      {"no byte at all, not even an empty block", ""},
      {"an end within a block", "\xf2\x48\xcd"},
      {"a tail that was not removed", "\xf2\x48\xcd\xc9\xc9\x07\x00\x00\x00\xff\xff"s},
      {"a final block without an empty one after it", "\xf3\x48\xcd\xc9\xc9\x07\x00"s},
      {"an end within a stored block", "\x00\x50\x00\xaf\xff\x48\x65"s},
  };
  for (const auto& [why, bytes] : cases) {
    for (const bool kept : {false, true}) {
      CAPTURE(why);
      CAPTURE(kept);
      MessageInflater whole({.kept = kept});
      CHECK_FALSE(inflated(whole, bytes).has_value());
      MessageInflater bytewise({.kept = kept});
      CHECK_FALSE(inflated(bytewise, bytes, 1).has_value());
    }
  }
}

TEST_CASE("every message survives deflating and inflating with every window, kept or not") {
  std::vector<std::string> messages = {"", "a", "Hello", std::string(100'000, 'x'), noise(70'000), noise(70'000)};
  for (std::size_t size = 240; size < 1100; size += 9) messages.push_back(noise(size) + noise(size));
  for (int bits = kWindowBitsMin; bits <= kWindowBitsMax; ++bits) {
    for (const bool kept : {false, true}) {
      CAPTURE(bits);
      CAPTURE(kept);
      MessageDeflater deflater({.bits = bits, .kept = kept});
      MessageInflater inflater({.bits = bits, .kept = kept});
      std::size_t wrong = 0;
      for (const std::string& message : messages) {
        if (inflated(inflater, deflated(deflater, message)) != message) ++wrong;
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("without a kept window no message depends on the previous one") {
  MessageDeflater deflater({.kept = false});
  const std::string first = deflated(deflater, noise(5000));
  const std::string second = deflated(deflater, noise(5000));
  MessageInflater inflater({.kept = false});
  CHECK((inflated(inflater, second) == noise(5000)));
  CHECK(first == second);
}

TEST_CASE("a message inflates exactly to its limit") {
  MessageDeflater deflater({.kept = false});
  const std::string bytes = deflated(deflater, std::string(100'000, 'x'));
  for (const std::size_t limit : {0, 1, 16'384, 99'999, 100'000, 100'001}) {
    CAPTURE(limit);
    MessageInflater inflater({});
    std::string out;
    const Inflated begun = inflater.inflate(bytes, out, limit);
    CHECK((begun == Inflated::ok) == (limit >= 100'000));
    if (begun == Inflated::ok) CHECK((inflater.finish(out, limit) == Inflated::ok));
    if (begun != Inflated::ok) CHECK((begun == Inflated::too_big));
    CHECK(out.size() == std::min<std::size_t>(limit + 1, 100'000));
  }
}

TEST_CASE("a few final blocks are an encoder's flushes, many are an attack") {
  const std::string final_and_empty = "\x01\x00\x00\xff\xff"s;
  for (const int blocks : {1, 16, 17, 1000}) {
    CAPTURE(blocks);
    std::string bytes;
    for (int i = 0; i < blocks; ++i) bytes += final_and_empty;
    MessageInflater inflater({});
    CHECK(inflated(inflater, bytes + '\0').has_value() == (blocks <= 16));
    if (blocks <= 16) CHECK((inflated(inflater, bytes + '\0') == ""));  // the count restarts with each message
  }
}

TEST_SUITE_END();
}  // namespace volt::http::coding
