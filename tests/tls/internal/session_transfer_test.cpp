// Reading and writing after the handshake: records, ends, and wires that take or give little.
#include <doctest/doctest.h>

#include <ostream>
#include <string>

#include "tests/tls/meeting.h"
#include "tls/error.h"
#include "tls/internal/session.h"

namespace volt::tls::internal {
namespace {

using test::Meeting;
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

TEST_SUITE_BEGIN("tls/internal/session");

TEST_CASE("has_unread says whether bytes that left the wire wait to be read") {
  Meeting meeting(context());
  REQUIRE(meeting.shake_hands());
  CHECK_FALSE(meeting.server.has_unread());
  CHECK(would_block(meeting.server_read()));
  CHECK_FALSE(meeting.server.has_unread());

  meeting.client.write("one record");
  meeting.client.write("and another");
  meeting.carry();
  CHECK_FALSE(meeting.server.has_unread());  // nobody has looked yet: the wire reports it
  CHECK(meeting.server_read(3) == std::string("one"));
  CHECK(meeting.wire.incoming.empty());  // both records have left it
  CHECK(meeting.server.has_unread());
  CHECK(meeting.server_read(7) == std::string(" record"));
  CHECK(meeting.server.has_unread());
  CHECK(meeting.server_read() == std::string("and another"));
  CHECK_FALSE(meeting.server.has_unread());
  CHECK(would_block(meeting.server_read()));
}

TEST_CASE("records of one byte each are read in one go") {
  Meeting meeting(context());
  REQUIRE(meeting.shake_hands());
  for (const char byte : std::string("GET / HTTP/1.1")) meeting.client.write({&byte, 1});
  meeting.carry();
  CHECK(meeting.server_read() == std::string("GET / HTTP/1.1"));
}

TEST_CASE("a request that comes with the end of the handshake is unread, not lost") {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    Meeting meeting(context(), {.version = version});
    for (int round = 0; round != 4 && !meeting.client.done(); ++round) {
      meeting.client.handshake();
      if (meeting.client.done()) break;
      meeting.carry();
      meeting.progress = meeting.server.handshake(meeting.wire);
      meeting.carry();
    }
    REQUIRE(meeting.client.done());
    const bool client_ends = !meeting.server_done();  // in TLS 1.3
    meeting.client.write("GET / HTTP/1.1\r\n\r\n");
    meeting.carry();
    if (client_ends) meeting.progress = meeting.server.handshake(meeting.wire);
    REQUIRE(meeting.server_done());
    CHECK(meeting.server.has_unread() == client_ends);
    CHECK(meeting.server_read() == std::string("GET / HTTP/1.1\r\n\r\n"));
  }
}

TEST_CASE("half a record is nothing to read, and does not claim to be") {
  for (std::size_t cut = 0, bytes = 1; cut != bytes; ++cut) {
    CAPTURE(cut);
    Meeting meeting(context());
    REQUIRE(meeting.shake_hands());
    meeting.client.write("first");
    meeting.client.write("second");
    const std::string records = meeting.client.take_output();
    bytes = records.size();
    const bool first_is_whole = cut >= bytes / 2;  // the second is a byte longer
    meeting.wire.incoming = records.substr(0, cut);
    const auto early = meeting.server_read();
    if (first_is_whole) CHECK(early == std::string("first"));
    if (!first_is_whole) CHECK(would_block(early));
    CHECK_FALSE(meeting.server.has_unread());

    meeting.wire.incoming += records.substr(cut);
    std::string late;
    while (const auto piece = meeting.server_read()) late += *piece;
    CHECK(late == (first_is_whole ? "second" : "firstsecond"));
  }
}

TEST_CASE("much goes both ways, whole, over a wire that takes and gives little at a time") {
  const std::string text = patterned(300'000);
  Meeting meeting(context());
  REQUIRE(meeting.shake_hands());
  std::string_view rest = text;
  std::string received;
  for (std::size_t step = 1; !rest.empty(); step = step * 31 % 20'011) {
    meeting.wire.room = step;
    const auto count = meeting.server_write(rest);
    if (count) rest.remove_prefix(*count);
    if (!count) REQUIRE(would_block(count));
    meeting.client.feed(std::exchange(meeting.wire.outgoing, {}));
    received += meeting.client.read();
  }
  CHECK((received == text));

  received.clear();
  rest = text;
  while (!rest.empty()) {
    meeting.client.write(rest.substr(0, 100'000));
    rest.remove_prefix(100'000);
    meeting.carry();
    meeting.wire.read_bytes_max = 1 + received.size() % 5000;
    while (const auto piece = meeting.server_read(1 + received.size() % 30'000)) received += *piece;
  }
  CHECK((received == text));
}

TEST_CASE("bytes are counted when their record is on the wire whole, and not before") {
  Meeting meeting(context());
  REQUIRE(meeting.shake_hands());
  const std::string text = patterned(40'000);  // two full records and a shorter one
  constexpr std::size_t kRecord = 16 * 1024;
  meeting.wire.room = 100;
  CHECK(would_block(meeting.server_write(text)));
  CHECK(would_block(meeting.server_write(text)));
  meeting.wire.room = kRecord;  // for the rest of the first, and a part of the second
  const auto count = meeting.server_write(text);
  if (!count) CHECK(would_block(count));  // libssl remembers the first, and counts it in the next call
  if (count) CHECK(*count == kRecord);
  const std::string moved = text.substr(count.value_or(0));  // the bytes that were left, elsewhere
  meeting.wire.room = SIZE_MAX;
  CHECK(meeting.server_write(moved) == moved.size());
  meeting.carry();
  CHECK((meeting.client.read() == text));
}

TEST_CASE("the end of the data is 0 if it was announced, and an error if it was cut off") {
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
      Meeting meeting(context(), {.version = version});
      REQUIRE(meeting.shake_hands());
      if (!c.last_words.empty()) meeting.client.write(c.last_words);
      if (c.announced) meeting.client.close_notify();
      meeting.carry();
      meeting.wire.ended = true;
      if (!c.last_words.empty()) CHECK(meeting.server_read() == c.last_words);
      CHECK(meeting.server.has_unread() == (c.announced && !c.last_words.empty()));  // the 0 itself
      for (int again = 0; again != 2; ++again) {
        const auto end = meeting.server_read();
        if (c.announced) CHECK(end == std::string());
        if (!c.announced) REQUIRE_FALSE(end);
        if (!c.announced) CHECK(end.error() == Error::truncated);
      }
      CHECK(meeting.server_write("x").has_value() == c.announced);  // it may still listen
    }
  }
}

TEST_CASE("a record that was tampered with ends the connection, after what came before it") {
  Meeting meeting(context());
  REQUIRE(meeting.shake_hands());
  meeting.client.write("good");
  meeting.carry();
  meeting.client.write("bad");
  meeting.carry();
  meeting.wire.incoming.back() = static_cast<char>(meeting.wire.incoming.back() ^ 1);
  CHECK(meeting.server_read() == std::string("good"));
  CHECK(meeting.server.has_unread());  // the error
  const auto end = meeting.server_read();
  REQUIRE_FALSE(end);
  CHECK(end.error() == Error::malformed);
  CHECK(meeting.server_write("x").error() == Error::malformed);
  CHECK(meeting.server.failure() == "decryption failed or bad record mac");
}

TEST_CASE("our close_notify is sent once, after the handshake only, and not after an error") {
  {
    Meeting silent(context());
    silent.server.close_notify(silent.wire);
    CHECK(silent.wire.outgoing.empty());
  }
  {
    Meeting meeting(context());
    meeting.client.handshake();
    meeting.carry();
    meeting.progress = meeting.server.handshake(meeting.wire);
    meeting.carry();
    meeting.server.close_notify(meeting.wire);  // in the middle of the handshake
    CHECK(meeting.wire.outgoing.empty());
  }
  Meeting meeting(context());
  REQUIRE(meeting.shake_hands());
  meeting.server.close_notify(meeting.wire);
  meeting.server.close_notify(meeting.wire);
  meeting.client.feed(std::exchange(meeting.wire.outgoing, {}));
  CHECK(meeting.client.read().empty());
  CHECK(meeting.client.saw_close_notify());
  meeting.client.write("late");
  meeting.carry();
  CHECK(meeting.server_read() == std::string("late"));
  CHECK(meeting.server_write("x").error() == std::errc::broken_pipe);

  Meeting failed(context());
  REQUIRE(failed.shake_hands());
  failed.wire.ended = true;
  REQUIRE_FALSE(failed.server_read());
  failed.server.close_notify(failed.wire);
  CHECK(failed.wire.outgoing.empty());
}

TEST_CASE("what the wire fails with is the error") {
  Meeting meeting(context());
  REQUIRE(meeting.shake_hands());
  meeting.wire.broken = true;
  const auto written = meeting.server_write("x");
  REQUIRE_FALSE(written);
  CHECK(written.error() == std::errc::broken_pipe);
  CHECK(meeting.server_read().error() == std::errc::broken_pipe);
}

TEST_CASE("nothing to read into, and nothing to write, are no operation") {
  Meeting meeting(context());
  REQUIRE(meeting.shake_hands());
  CHECK(meeting.server_read(0) == std::string());
  CHECK(meeting.server_write("") == std::size_t{0});
  CHECK(meeting.wire.outgoing.empty());
}

}  // namespace volt::tls::internal
