// SPDX-License-Identifier: MIT

// libFuzzer: for any bytes, split in any way, a WebSocket returns equal events and an equal refusal, holds no more than
// its limit, and responds with frames that its peer understands. The messages that one end sends are received by the
// other.
//
// The first input byte seeds the cuts, the second selects the rules, the rest is the received data.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/websocket/protocol/session.h"
#include "http/websocket/protocol/utf8.h"
#include "runtime/base/check.h"
#include "tests/http/websocket/protocol/decode_events.h"

namespace volt::http::websocket {
namespace {

// zlib's output is collected before the limit is checked, and a string grows by doubling.
constexpr std::size_t kHeldBytesFree = 64 * 1024;

std::vector<std::size_t> cuts(std::size_t size, std::uint32_t seed) {
  std::vector<std::size_t> ends;
  for (std::size_t end = 0; end < size;) {
    seed = seed * 1664525 + 1013904223;
    end += 1 + (seed >> 24) % (seed & 0x10000 ? 4 : 64);
    if (end < size) ends.push_back(end);
  }
  return ends;
}

MessageRules rules_of(std::uint8_t choice) {
  MessageRules rules{.role = (choice & 1) != 0 ? Role::client : Role::server};
  rules.message_bytes_max = (choice & 2) != 0 ? 100 : 1'200'000;
  if ((choice & 4) != 0) rules.deflate.emplace();
  if (rules.deflate && (choice & 8) != 0) {
    rules.deflate = {.server_no_context_takeover = true,
                     .client_no_context_takeover = true,
                     .server_max_window_bits = 9,
                     .client_max_window_bits = 9};
  }
  if ((choice & 16) != 0) rules.deflate_ratio_max = 1;
  return rules;
}

void check_events(const std::vector<OwnedEvent>& events, const MessageRules& rules) {
  for (const OwnedEvent& event : events) {
    using enum Event::Kind;
    VOLT_CHECK(event.kind == binary || event.kind == ping || event.kind == pong || is_utf8(event.payload));
    const bool message = event.kind == text || event.kind == binary;
    VOLT_CHECK(event.payload.size() <= (message ? rules.message_bytes_max : kControlBytesMax));
    VOLT_CHECK(event.kind != close || event.code == CloseCode::no_status || may_be_sent(event.code));
  }
}

void check_cuts(std::string_view bytes, std::uint32_t seed, const MessageRules& rules) {
  std::size_t held_bytes_max = 0;
  const DecodedEvents whole = decode_events(bytes, rules, {}, &held_bytes_max);
  VOLT_CHECK(held_bytes_max <= 2 * rules.message_bytes_max + kHeldBytesFree);
  VOLT_CHECK(decode_events(bytes, rules, cuts(bytes.size(), seed)) == whole);
  VOLT_CHECK(decode_events_byte_by_byte(bytes, rules) == whole);
  check_events(whole.events, rules);
}

std::string output_of(Session& session) {
  std::string out;
  session.take_output(out);
  return out;
}

// Checks an echo: the session's output for any input is well-formed, and a close ends it.
void check_answers(std::string_view bytes, const MessageRules& rules) {
  Session session(rules);
  std::string received(bytes);
  session.feed(received);
  while (const auto event = session.next()) {
    if (event->kind == Event::Kind::text) session.send_text(event->payload);
    if (event->kind == Event::Kind::binary) session.send_binary(event->payload);
  }
  MessageRules peer = rules;
  peer.role = rules.role == Role::server ? Role::client : Role::server;
  peer.deflate_ratio_max = 2000;
  const DecodedEvents answers = decode_events(output_of(session), peer);
  VOLT_CHECK(!answers.violation);
  for (std::size_t i = 0; i + 1 < answers.events.size(); ++i) {
    VOLT_CHECK(answers.events[i].kind != Event::Kind::close);
  }
  const bool closed = !answers.events.empty() && answers.events.back().kind == Event::Kind::close;
  VOLT_CHECK(closed == session.closed());
}

// Treats the bytes as messages, whose lengths are given by their first bytes.
void check_conversation(std::string_view bytes, MessageRules rules) {
  rules.message_bytes_max = 256;
  rules.role = Role::server;
  Session server(rules);
  rules.role = Role::client;
  Session client(rules);
  while (!bytes.empty() && client.open()) {
    const std::string_view message = bytes.substr(1, static_cast<std::uint8_t>(bytes.front()));
    bytes.remove_prefix(1 + message.size());
    const bool text = is_utf8(message);
    VOLT_CHECK(text ? client.send_text(message) : client.send_binary(message));
    std::string sent = output_of(client);
    server.feed(sent);
    const auto event = server.next();
    VOLT_CHECK(event && event->payload == message);
    VOLT_CHECK((event->kind == Event::Kind::text) == text);
    VOLT_CHECK(!server.next());
  }
}

}  // namespace
}  // namespace volt::http::websocket

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace volt::http::websocket;
  if (size < 2 || size > 4096) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const MessageRules rules = rules_of(data[1]);
  check_cuts(bytes, data[0], rules);
  check_answers(bytes, rules);
  check_conversation(bytes, rules);
  return 0;
}
