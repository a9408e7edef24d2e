// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/session.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "tests/http/websocket/protocol/decode_events.h"

namespace volt::http::websocket {
namespace {

using namespace std::string_literals;
using enum Event::Kind;

std::string output_of(Session& session) {
  std::string out;
  session.take_output(out);
  return out;
}

std::vector<OwnedEvent> feed(Session& session, std::string bytes) {
  std::vector<OwnedEvent> events;
  session.feed(bytes);
  while (const auto event = session.next()) {
    events.push_back({event->kind, event->code, std::string(event->payload)});
  }
  return events;
}

OwnedEvent event(Event::Kind kind, std::string payload, CloseCode code = CloseCode::no_status) {
  return {kind, code, std::move(payload)};
}

using Events = std::vector<OwnedEvent>;

std::string from_client(Opcode opcode, std::string_view payload) { return masked_frame({.opcode = opcode}, payload); }

}  // namespace

TEST_SUITE_BEGIN("http/websocket/protocol/session");

TEST_CASE("a server and a client exchange messages, compressed or not, of any size") {
  const std::optional<DeflateParameters> agreements[] = {
      std::nullopt,
      DeflateParameters{},
      DeflateParameters{.server_no_context_takeover = true, .client_no_context_takeover = true},
      DeflateParameters{.server_no_context_takeover = true, .server_max_window_bits = 9, .client_max_window_bits = 12},
  };
  for (const auto& deflate : agreements) {
    CAPTURE(deflate.has_value());
    Session server({.deflate = deflate});
    Session client({.role = Role::client, .deflate = deflate});
    for (const std::size_t size : {0, 1, 63, 64, 125, 126, 5000, 65535, 65536, 300'000, 10}) {
      CAPTURE(size);
      std::string payload;
      for (std::size_t i = 0; i < size; ++i) payload.push_back(static_cast<char>('a' + i * i % 23));
      REQUIRE(client.send_text(payload));
      CHECK(feed(server, output_of(client)) == Events{event(text, payload)});
      REQUIRE(server.send_binary(payload));
      CHECK(feed(client, output_of(server)) == Events{event(binary, payload)});
    }
    REQUIRE(client.ping("there?"));
    CHECK(feed(server, output_of(client)) == Events{event(ping, "there?")});
    CHECK(feed(client, output_of(server)) == Events{event(pong, "there?")});
    REQUIRE(client.close(CloseCode{4000}, "done"));
    CHECK(feed(server, output_of(client)) == Events{event(close, "done", CloseCode{4000})});
    CHECK(server.closed());
    CHECK(feed(client, output_of(server)) == Events{event(close, "", CloseCode{4000})});
    CHECK(client.closed());
  }
}

TEST_CASE("messages are compressed if this was negotiated and makes them smaller") {
  Session plain({});
  plain.send_text(std::string(100, 'x'));
  CHECK(output_of(plain) == "\x81\x64" + std::string(100, 'x'));

  Session alone({.deflate = DeflateParameters{.server_no_context_takeover = true}});
  alone.send_text(std::string(63, 'x'));
  CHECK(output_of(alone) == "\x81\x3f" + std::string(63, 'x'));
  alone.send_text(std::string(100, 'x'));
  CHECK(output_of(alone).size() < 20);

  Session kept({.deflate = DeflateParameters{}});
  kept.send_text("Hello");
  kept.send_text("Hello");
  CHECK(output_of(kept) == "\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00\xc1\x05\xf2\x00\x11\x00\x00"s);  // RFC 7692 7.2.3
}

TEST_CASE("a client masks each frame with a new key") {
  Session client({.role = Role::client});
  client.send_text("Hello");
  const std::string first = output_of(client);
  client.send_text("Hello");
  const std::string second = output_of(client);
  CHECK(first.size() == 11);
  CHECK(first.substr(0, 2) == "\x81\x85");
  CHECK(first.substr(2, 4) != second.substr(2, 4));
}

TEST_CASE("pings are answered in order, with their payloads; of a flood only 16 and the last, RFC 6455 section 5.5.3") {
  Session server({});
  CHECK_FALSE(server.has_output());
  CHECK(feed(server, from_client(Opcode::ping, "x")) == Events{event(ping, "x")});
  CHECK(server.has_output());
  CHECK(output_of(server) == "\x8a\x01x");
  CHECK_FALSE(server.has_output());

  std::string flood;
  for (int i = 0; i < 1000; ++i) flood += from_client(Opcode::ping, " " + std::to_string(i));
  CHECK(feed(server, flood).size() == 1000);
  std::string answers;
  for (int i = 0; i != 16; ++i) answers += (i < 10 ? "\x8a\x02 " : "\x8a\x03 ") + std::to_string(i);
  CHECK(output_of(server) == answers + "\x8a\x04 999");

  feed(server, from_client(Opcode::ping, std::string(125, 'x')));
  CHECK(output_of(server) == "\x8a\x7d" + std::string(125, 'x'));
  CHECK(feed(server, from_client(Opcode::pong, "unasked")) == Events{event(pong, "unasked")});
  CHECK_FALSE(server.has_output());
}

TEST_CASE("a pong precedes the messages that are sent after the ping") {
  Session server({});
  server.send_text("a");
  feed(server, from_client(Opcode::ping, "p"));
  server.send_text("b");
  CHECK(output_of(server) ==
        "\x81\x01"
        "a\x8a\x01p\x81\x01"
        "b");
}

TEST_CASE("a session that is read ahead keeps its end until that is asked for") {
  const struct {
    std::string why;
    std::string bytes;
    Event::Kind kind;
    CloseCode code;
  } cases[] = {
      {"a close", from_client(Opcode::close, "\x0f\xa0why"), close, CloseCode{4000}},
      {"a violation", from_client(Opcode::continuation, "x"), failure, CloseCode::protocol_error},
  };
  for (const auto& [why, bytes, kind, code] : cases) {
    CAPTURE(why);
    Session server({});
    std::string received = from_client(Opcode::text, "one") + from_client(Opcode::ping, "p") + bytes + "more";
    server.feed(received);
    CHECK(server.next_before_end() == Event{.kind = text, .payload = "one"});
    CHECK(server.next_before_end() == Event{.kind = ping, .payload = "p"});
    CHECK(server.next_before_end() == std::nullopt);
    CHECK(server.has_kept_end());
    CHECK(server.send_text("x"));
    CHECK(output_of(server).starts_with("\x8a\x01p\x81\x01x"));
    const auto got = server.next();
    REQUIRE(got);
    CHECK(got->kind == kind);
    CHECK(got->code == code);
    if (kind == close) CHECK(got->payload == "why");
    CHECK(server.closed());
    CHECK(server.next() == std::nullopt);
  }
}

TEST_CASE("the peer's close is answered once, with its code, RFC 6455 section 5.5.1") {
  const struct {
    std::string why;
    std::string payload;
    Events events;
    std::string answer;
  } cases[] = {
      {"with a code", "\x03\xe8", {event(close, "", CloseCode::normal)}, "\x88\x02\x03\xe8"},
      {"with a reason", "\x03\xe9so long", {event(close, "so long", CloseCode::going_away)}, "\x88\x02\x03\xe9"},
      {"without", "", {event(close, "")}, "\x88\x00"s},
  };
  for (const auto& [why, payload, events, answer] : cases) {
    CAPTURE(why);
    Session server({});
    const std::string close = from_client(Opcode::close, payload);
    CHECK(feed(server, close + from_client(Opcode::text, "too late") + close) == events);
    CHECK(server.closed());
    CHECK(output_of(server) == answer);
    CHECK(feed(server, close).empty());
    CHECK_FALSE(server.send_text("too late"));
    CHECK_FALSE(server.send_binary("too late"));
    CHECK_FALSE(server.ping());
    CHECK_FALSE(server.close());
    CHECK_FALSE(server.has_output());
  }
}

TEST_CASE("after our close frame nothing is sent, but frames are received, RFC 6455 section 7.1.3") {
  Session server({});
  server.send_text("x");
  feed(server, from_client(Opcode::ping, "y"));
  CHECK(server.close(CloseCode::going_away, "restart"));
  CHECK(output_of(server) == "\x81\x01x\x8a\x01y\x88\x09\x03\xe9restart");
  CHECK_FALSE(server.open());
  CHECK_FALSE(server.closed());
  CHECK_FALSE(server.send_text("too late"));
  CHECK_FALSE(server.close());
  CHECK(feed(server, from_client(Opcode::text, "c")) == Events{event(text, "c")});
  CHECK(feed(server, from_client(Opcode::ping, "d")) == Events{event(ping, "d")});
  CHECK_FALSE(server.has_output());
  CHECK(feed(server, from_client(Opcode::close, "\x03\xe9")) == Events{event(close, "", CloseCode::going_away)});
  CHECK(server.closed());
  CHECK_FALSE(server.has_output());
}

TEST_CASE("a protocol violation is answered with a close frame, and later bytes are ignored") {
  const struct {
    std::string why;
    std::string bytes;
    CloseCode want;
  } cases[] = {
      {"5.1: no mask", "\x81\x01x", CloseCode::protocol_error},
      {"5.2: a reserved opcode", "\x83", CloseCode::protocol_error},
      {"5.5.1: a truncated code", from_client(Opcode::close, "\x03"), CloseCode::protocol_error},
      {"7.4.1: a code that is never sent", from_client(Opcode::close, "\x03\xed"), CloseCode::protocol_error},
      {"8.1: text that is not UTF-8", from_client(Opcode::text, "\xff"), CloseCode::invalid_data},
      {"8.1: a reason that is not UTF-8", from_client(Opcode::close, "\x03\xe8\xff"), CloseCode::invalid_data},
      {"too large", from_client(Opcode::text, std::string(101, 'x')), CloseCode::message_too_big},
      {"7692 7.2.2: deflate data without its end",
       "\xc1" + from_client(Opcode::text, "\xf2\x48\xcd\xc9\xc9\x07").substr(1), CloseCode::invalid_data},
  };
  for (const auto& [why, bytes, want] : cases) {
    CAPTURE(why);
    Session server({.message_bytes_max = 100, .deflate = DeflateParameters{}});
    const std::string ping_before = from_client(Opcode::ping, "p");
    const Events events = feed(server, ping_before + bytes + ping_before);
    REQUIRE(events.size() == 2);
    CHECK(events[1].kind == failure);
    CHECK(events[1].code == want);
    CHECK(server.closed());
    Session client({.role = Role::client});
    CHECK(feed(client, output_of(server)) == Events{event(pong, "p"), event(close, events[1].payload, want)});
    CHECK(feed(server, ping_before).empty());
    CHECK_FALSE(server.has_output());
  }
}

TEST_CASE("a protocol violation after our close frame causes no second close frame") {
  Session server({});
  server.close();
  output_of(server);
  CHECK(feed(server, "\x81\x01x").back().kind == failure);
  CHECK(server.closed());
  CHECK_FALSE(server.has_output());
}

TEST_CASE("sending an invalid message, ping or close throws") {
  Session server({});
  CHECK_THROWS_AS(server.send_text("\xff"), std::invalid_argument);
  CHECK_THROWS_AS(server.ping(std::string(126, 'x')), std::invalid_argument);
  CHECK_THROWS_AS(server.close(CloseCode::no_status), std::invalid_argument);
  CHECK_THROWS_AS(server.close(CloseCode{999}), std::invalid_argument);
  CHECK_THROWS_AS(server.close(CloseCode::normal, "\xff"), std::invalid_argument);
  CHECK_THROWS_AS(server.close(CloseCode::normal, std::string(124, 'x')), std::invalid_argument);
  CHECK_FALSE(server.has_output());
  CHECK(server.open());
  CHECK(server.close(CloseCode::normal, std::string(123, 'x')));
}

TEST_CASE("a session that is disconnected neither sends nor receives") {
  Session server({});
  server.send_text("a");
  feed(server, from_client(Opcode::ping, ""));
  server.disconnected();
  CHECK(server.closed());
  CHECK_FALSE(server.has_output());
  CHECK_FALSE(server.send_text("b"));
  CHECK(feed(server, from_client(Opcode::text, "c")).empty());
}

TEST_CASE("the buffer of the written output is reused") {
  Session server({});
  server.send_binary(std::string(10'000, 'x'));
  std::string written;
  server.take_output(written);
  const char* const memory = written.data();
  server.take_output(written);
  CHECK(written.empty());
  server.send_binary(std::string(9'000, 'x'));
  server.take_output(written);
  CHECK(written.data() == memory);
}

TEST_SUITE_END();
}  // namespace volt::http::websocket
