// SPDX-License-Identifier: MIT

// Tests of reading and writing after the handshake: records, ends of streams, and transports with small reads and
// writes.
#include <doctest/doctest.h>

#include <ostream>
#include <string>

#include "tests/tls/client_server_pair.h"
#include "tls/error.h"
#include "tls/internal/session.h"

namespace volt::tls::internal {
namespace {

using test::ClientServerPair;
using test::TestCertificate;

const std::shared_ptr<const Context>& context() {
  static const std::shared_ptr<const Context> loaded = [] {
    const TestCertificate certificate({.names = "DNS:site.example"});
    return test::load(test::options_for(certificate));
  }();
  return loaded;
}

std::string patterned(std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i != bytes; ++i) text[i] = static_cast<char>('a' + (i * 7 + i / 1000) % 26);
  return text;
}

bool would_block(const auto& result) { return !result && result.error() == std::errc::operation_would_block; }

}  // namespace

TEST_SUITE_BEGIN("tls/internal/session_transfer");

TEST_CASE("has_unread is true while bytes that were read from the transport are buffered") {
  ClientServerPair peers(context());
  REQUIRE(peers.shake_hands());
  CHECK_FALSE(peers.server.has_unread());
  CHECK(would_block(peers.server_read()));
  CHECK_FALSE(peers.server.has_unread());

  peers.client.write("one record");
  peers.client.write("and another");
  peers.carry();
  CHECK_FALSE(peers.server.has_unread());  // not read from the transport yet
  CHECK(peers.server_read(3) == std::string("one"));
  CHECK(peers.transport.incoming.empty());  // both records were read from it
  CHECK(peers.server.has_unread());
  CHECK(peers.server_read(7) == std::string(" record"));
  CHECK(peers.server.has_unread());
  CHECK(peers.server_read() == std::string("and another"));
  CHECK_FALSE(peers.server.has_unread());
  CHECK(would_block(peers.server_read()));
}

TEST_CASE("records of one byte each are read in one call") {
  ClientServerPair peers(context());
  REQUIRE(peers.shake_hands());
  for (const char byte : std::string("GET / HTTP/1.1")) peers.client.write({&byte, 1});
  peers.carry();
  CHECK(peers.server_read() == std::string("GET / HTTP/1.1"));
}

TEST_CASE("a request that arrives with the end of the handshake can be read") {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    ClientServerPair peers(context(), {.version = version});
    for (int round = 0; round != 4 && !peers.client.done(); ++round) {
      peers.client.handshake();
      if (peers.client.done()) break;
      peers.carry();
      peers.progress = peers.server.handshake(peers.transport);
      peers.carry();
    }
    REQUIRE(peers.client.done());
    const bool client_ends = !peers.server_done();  // in TLS 1.3
    peers.client.write("GET / HTTP/1.1\r\n\r\n");
    peers.carry();
    if (client_ends) peers.progress = peers.server.handshake(peers.transport);
    REQUIRE(peers.server_done());
    // libssl 3.2 and later do not read ahead in the handshake, so that the request waits in the transport.
    const bool read_ahead = peers.transport.incoming.empty();
    if (OPENSSL_VERSION_NUMBER < 0x30200000L) CHECK(read_ahead == client_ends);
    CHECK(peers.server.has_unread() == read_ahead);
    CHECK(peers.server_read() == std::string("GET / HTTP/1.1\r\n\r\n"));
  }
}

TEST_CASE("has_unread is false for an incomplete record") {
  for (std::size_t cut = 0, bytes = 1; cut != bytes; ++cut) {
    CAPTURE(cut);
    ClientServerPair peers(context());
    REQUIRE(peers.shake_hands());
    peers.client.write("first");
    peers.client.write("second");
    const std::string records = peers.client.take_output();
    bytes = records.size();
    const bool first_is_whole = cut >= bytes / 2;  // the second record is one byte longer
    peers.transport.incoming = records.substr(0, cut);
    const auto early = peers.server_read();
    if (first_is_whole) CHECK(early == std::string("first"));
    if (!first_is_whole) CHECK(would_block(early));
    CHECK_FALSE(peers.server.has_unread());

    peers.transport.incoming += records.substr(cut);
    std::string late;
    while (const auto piece = peers.server_read()) late += *piece;
    CHECK(late == (first_is_whole ? "second" : "firstsecond"));
  }
}

TEST_CASE("large data passes in both directions over a transport with small reads and writes") {
  const std::string text = patterned(300'000);
  ClientServerPair peers(context());
  REQUIRE(peers.shake_hands());
  std::string_view rest = text;
  std::string received;
  for (std::size_t step = 1; !rest.empty(); step = step * 31 % 20'011) {
    peers.transport.room = step;
    const auto count = peers.server_write(rest);
    if (count) rest.remove_prefix(*count);
    if (!count) REQUIRE(would_block(count));
    peers.client.feed(std::exchange(peers.transport.outgoing, {}));
    received += peers.client.read();
  }
  CHECK((received == text));

  received.clear();
  rest = text;
  while (!rest.empty()) {
    peers.client.write(rest.substr(0, 100'000));
    rest.remove_prefix(100'000);
    peers.carry();
    peers.transport.read_bytes_max = 1 + received.size() % 5000;
    while (const auto piece = peers.server_read(1 + received.size() % 30'000)) received += *piece;
  }
  CHECK((received == text));
}

TEST_CASE("bytes are counted only when the transport has their entire record") {
  ClientServerPair peers(context());
  REQUIRE(peers.shake_hands());
  const std::string text = patterned(40'000);  // two full records and a shorter one
  constexpr std::size_t kRecord = 16 * 1024;
  peers.transport.room = 100;
  CHECK(would_block(peers.server_write(text)));
  CHECK(would_block(peers.server_write(text)));
  peers.transport.room = kRecord;  // space for the rest of the first record and a part of the second
  const auto count = peers.server_write(text);
  if (!count) CHECK(would_block(count));  // libssl keeps the first record, and counts its bytes in the next call
  if (count) CHECK(*count == kRecord);
  const std::string moved = text.substr(count.value_or(0));  // a copy of the remaining bytes at another address
  peers.transport.room = SIZE_MAX;
  CHECK(peers.server_write(moved) == moved.size());
  peers.carry();
  CHECK((peers.client.read() == text));
}

TEST_CASE("an announced end of the data is 0, and a cut-off end is an error") {
  struct Case {
    std::string why;
    bool announced;
    std::string last_words;
  };
  const Case cases[] = {{"close_notify", true, ""},
                        {"data, then close_notify", true, "bye"},
                        {"nothing", false, ""},
                        {"data, then nothing", false, "bye"}};
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    for (const Case& c : cases) {
      CAPTURE(c.why);
      ClientServerPair peers(context(), {.version = version});
      REQUIRE(peers.shake_hands());
      if (!c.last_words.empty()) peers.client.write(c.last_words);
      if (c.announced) peers.client.close_notify();
      peers.carry();
      peers.transport.ended = true;
      if (!c.last_words.empty()) CHECK(peers.server_read() == c.last_words);
      CHECK(peers.server.has_unread() == (c.announced && !c.last_words.empty()));  // the end counts as unread
      for (int again = 0; again != 2; ++again) {
        const auto end = peers.server_read();
        if (c.announced) CHECK(end == std::string());
        if (!c.announced) REQUIRE_FALSE(end);
        if (!c.announced) CHECK(end.error() == Error::truncated);
      }
      CHECK(peers.server_write("x").has_value() == c.announced);  // the peer may still read
    }
  }
}

TEST_CASE("a modified record ends the connection after the data before it") {
  ClientServerPair peers(context());
  REQUIRE(peers.shake_hands());
  peers.client.write("good");
  peers.carry();
  peers.client.write("bad");
  peers.carry();
  peers.transport.incoming.back() = static_cast<char>(peers.transport.incoming.back() ^ 1);
  CHECK(peers.server_read() == std::string("good"));
  CHECK(peers.server.has_unread());  // the error counts as unread
  const auto end = peers.server_read();
  REQUIRE_FALSE(end);
  CHECK(end.error() == Error::malformed);
  CHECK(peers.server_write("x").error() == Error::malformed);
  CHECK(peers.server.failure() == "decryption failed or bad record mac");
}

TEST_CASE("close_notify is sent once, only after the handshake, and not after an error") {
  {
    ClientServerPair silent(context());
    silent.server.close_notify(silent.transport);
    CHECK(silent.transport.outgoing.empty());
  }
  {
    ClientServerPair peers(context());
    peers.client.handshake();
    peers.carry();
    peers.progress = peers.server.handshake(peers.transport);
    peers.carry();
    peers.server.close_notify(peers.transport);  // in the middle of the handshake
    CHECK(peers.transport.outgoing.empty());
  }
  ClientServerPair peers(context());
  REQUIRE(peers.shake_hands());
  peers.server.close_notify(peers.transport);
  peers.server.close_notify(peers.transport);
  peers.client.feed(std::exchange(peers.transport.outgoing, {}));
  CHECK(peers.client.read().empty());
  CHECK(peers.client.saw_close_notify());
  peers.client.write("late");
  peers.carry();
  CHECK(peers.server_read() == std::string("late"));
  CHECK(peers.server_write("x").error() == std::errc::broken_pipe);

  ClientServerPair failed(context());
  REQUIRE(failed.shake_hands());
  failed.transport.ended = true;
  REQUIRE_FALSE(failed.server_read());
  failed.server.close_notify(failed.transport);
  CHECK(failed.transport.outgoing.empty());
}

TEST_CASE("an error of the transport is returned") {
  ClientServerPair peers(context());
  REQUIRE(peers.shake_hands());
  peers.transport.broken = true;
  const auto written = peers.server_write("x");
  REQUIRE_FALSE(written);
  CHECK(written.error() == std::errc::broken_pipe);
  CHECK(peers.server_read().error() == std::errc::broken_pipe);
}

TEST_CASE("reads and writes of empty spans are no-ops") {
  ClientServerPair peers(context());
  REQUIRE(peers.shake_hands());
  CHECK(peers.server_read(0) == std::string());
  CHECK(peers.server_write("") == std::size_t{0});
  CHECK(peers.transport.outgoing.empty());
}

}  // namespace volt::tls::internal
