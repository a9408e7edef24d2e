// SPDX-License-Identifier: MIT

// Tests of handshakes: versions, certificates and failures.
#include "tls/internal/session.h"

#include <doctest/doctest.h>
#include <malloc.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/support/sanitizers.h"
#include "tests/tls/client_server_pair.h"
#include "tls/error.h"

namespace volt::tls::internal {
namespace {

using test::ClientOptions;
using test::ClientServerPair;
using test::MemoryStream;
using test::TestCertificate;

const TestCertificate& site() {
  static const TestCertificate certificate({.common_name = "site", .names = "DNS:site.example"});
  return certificate;
}

const std::shared_ptr<const Context>& site_context() {
  static const std::shared_ptr<const Context> context = test::load(test::options_for(site()));
  return context;
}

std::string words_of(const Result<Progress>& progress) {
  return progress ? std::string("no error") : progress.error().message();
}

}  // namespace

TEST_SUITE_BEGIN("tls/internal/session");

TEST_CASE("a client and the server agree on TLS 1.3, or 1.2, and exchange bytes both ways") {
  struct Case {
    int version;
    std::string protocol;
    std::string cipher;
  };
  const Case cases[] = {{0, "TLSv1.3", "TLS_AES_128_GCM_SHA256"},
                        {TLS1_3_VERSION, "TLSv1.3", "TLS_AES_128_GCM_SHA256"},
                        {TLS1_2_VERSION, "TLSv1.2", "ECDHE-ECDSA-AES128-GCM-SHA256"}};
  for (const Case& c : cases) {
    CAPTURE(c.version);
    ClientServerPair peers(site_context(),
                           {.server_name = "Site.Example", .protocols = "\x08http/1.1", .version = c.version});
    REQUIRE(peers.shake_hands());
    const HandshakeInfo handshake_info = peers.server.handshake_info();
    CHECK(handshake_info.protocol == c.protocol);
    CHECK(handshake_info.cipher == c.cipher);
    CHECK(handshake_info.server_name == "site.example");
    CHECK(handshake_info.application_protocol == "http/1.1");
    CHECK_FALSE(handshake_info.resumed);
    CHECK_FALSE(peers.server.client_certificate().has_value());

    peers.client.write("to the server");
    peers.carry();
    CHECK(peers.server_read() == std::string("to the server"));
    CHECK(peers.server_write("to the client") == std::size_t{13});
    peers.carry();
    CHECK(peers.client.read() == "to the client");
  }
}

TEST_CASE("the results of a handshake outlive the connection") {
  HandshakeInfo handshake_info;
  {
    ClientServerPair peers(site_context(), {.protocols = "\x08http/1.1"});
    REQUIRE(peers.shake_hands());
    handshake_info = peers.server.handshake_info();
  }
  CHECK(handshake_info.application_protocol == "http/1.1");
  CHECK(handshake_info.protocol == "TLSv1.3");
  CHECK(handshake_info.cipher == "TLS_AES_128_GCM_SHA256");
}

TEST_CASE("a flood of key updates does not hold a read") {
  ClientServerPair peers(site_context());
  REQUIRE(peers.shake_hands());
  for (int update = 0; update != 4000; ++update) {
    REQUIRE(SSL_key_update(peers.client.ssl(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1);
    REQUIRE(SSL_do_handshake(peers.client.ssl()) == 1);
  }
  peers.client.write("hello");
  peers.carry();
  const std::size_t all_bytes = peers.transport.incoming.size();
  int reads = 1;
  Result<std::string> received = peers.server_read();
  for (; would_block(received) && peers.server.has_unread(); received = peers.server_read()) ++reads;
  CHECK(received == std::string("hello"));
  CHECK(reads >= static_cast<int>(all_bytes / (40 * 1024)));
}

TEST_CASE("a flight is one write, and TLS 1.3 tickets are sent with the first response") {
  struct Case {
    int version;
    std::size_t writes;
  };
  for (const Case& c : {Case{TLS1_2_VERSION, 2}, Case{TLS1_3_VERSION, 1}}) {
    ClientServerPair peers(site_context(), {.version = c.version});
    REQUIRE(peers.shake_hands_only());
    CHECK(peers.transport.writes == c.writes);
    CHECK(peers.server_write("hello") == std::size_t{5});
    CHECK(peers.transport.writes == c.writes + 1);
    peers.carry();
    CHECK(peers.client.read() == "hello");
    CHECK(SSL_SESSION_is_resumable(peers.client.session().get()) == 1);
  }
}

TEST_CASE("tickets are sent by a read that blocks") {
  ClientServerPair peers(site_context());
  REQUIRE(peers.shake_hands_only());
  peers.carry();
  CHECK(peers.client.read().empty());
  CHECK(SSL_SESSION_is_resumable(peers.client.session().get()) == 0);
  CHECK_FALSE(peers.server_read());
  CHECK(peers.transport.writes == 2);
  peers.carry();
  CHECK(peers.client.read().empty());
  CHECK(SSL_SESSION_is_resumable(peers.client.session().get()) == 1);
}

TEST_CASE("flights and tickets pass a transport that accepts few bytes at a time") {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    for (const std::size_t room : {1, 2, 7, 100, 250, 1000}) {
      CAPTURE(version);
      CAPTURE(room);
      ClientServerPair peers(site_context(), {.version = version});
      for (int round = 0; round != 3000 && !(peers.server_done() && peers.client.done()); ++round) {
        peers.transport.room = room;
        peers.client.handshake();
        peers.carry();
        REQUIRE(peers.progress);
        if (!peers.server_done()) peers.progress = peers.server.handshake(peers.transport);
        peers.carry();
      }
      REQUIRE(peers.server_done());
      std::string_view left = "hello";
      std::string received;
      for (int round = 0; round != 3000 && received != "hello"; ++round) {
        peers.transport.room = room;
        const auto count = left.empty() ? Result<std::size_t>(0) : peers.server_write(left);
        if (count) left.remove_prefix(*count);
        peers.carry();
        received += peers.client.read();
      }
      CHECK(received == "hello");
      CHECK(SSL_SESSION_is_resumable(peers.client.session().get()) == 1);
    }
  }
}

TEST_CASE("a transport that fails before the tickets are sent ends the session") {
  ClientServerPair peers(site_context());
  REQUIRE(peers.shake_hands_only());
  peers.transport.broken = true;
  const auto nothing = peers.server_read();
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error() == std::errc::broken_pipe);
}

TEST_CASE("a handshake succeeds one byte at a time") {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    ClientServerPair peers(site_context(), {.version = version});
    peers.transport.read_bytes_max = 1;
    REQUIRE(peers.shake_hands());
    peers.client.write("hello");
    peers.carry();
    CHECK(peers.server_read() == std::string("hello"));
  }
}

TEST_CASE("a hello in records of one byte each is accepted") {
  ClientServerPair peers(site_context());
  peers.client.handshake();
  const std::string hello = peers.client.take_output().substr(5);  // without its record's header
  for (const char byte : hello) peers.transport.incoming += std::string("\x16\x03\x01\x00\x01", 5) + byte;
  CHECK(peers.shake_hands());
}

TEST_CASE("a flight that is split at any byte is accepted") {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    ClientServerPair whole(site_context(), {.version = version});
    REQUIRE(whole.shake_hands());
    for (std::size_t cut = 1; cut < whole.transport.bytes_read; ++cut) {
      ClientServerPair peers(site_context(), {.version = version});
      std::size_t fed = 0;
      for (int round = 0; round != 8 && !(peers.server_done() && peers.client.done()); ++round) {
        peers.client.handshake();
        std::string flight = peers.client.take_output();
        const std::size_t first = fed < cut ? std::min(cut - fed, flight.size()) : flight.size();
        fed += flight.size();
        for (const std::string& part : {flight.substr(0, first), flight.substr(first)}) {
          peers.transport.incoming = part;
          if (peers.progress && !peers.server_done()) peers.progress = peers.server.handshake(peers.transport);
        }
        peers.carry();
      }
      CAPTURE(cut);
      REQUIRE(peers.server_done());
    }
  }
}

TEST_CASE("a client that closes at any byte of the handshake is an error") {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    ClientServerPair whole(site_context(), {.version = version});
    REQUIRE(whole.shake_hands());
    const std::size_t handshake_bytes = whole.transport.bytes_read;
    for (std::size_t given = 0; given != handshake_bytes; ++given) {
      CAPTURE(given);
      ClientServerPair peers(site_context(), {.version = version});
      std::size_t left = given;
      for (int round = 0; round != 6 && peers.progress && !peers.server_done(); ++round) {
        peers.client.handshake();
        const std::string flight = peers.client.take_output();
        peers.transport.incoming = flight.substr(0, left);
        peers.transport.ended = flight.size() > left;
        left -= peers.transport.incoming.size();
        peers.progress = peers.server.handshake(peers.transport);
        if (peers.transport.ended && peers.progress) peers.progress = peers.server.handshake(peers.transport);
        peers.client.feed(std::exchange(peers.transport.outgoing, {}));
      }
      REQUIRE_FALSE(peers.progress);
      CHECK(peers.progress.error() == Error::truncated);
      CHECK(peers.server.handshake(peers.transport).error() == Error::truncated);  // the error is permanent
    }
  }
}

TEST_CASE("a client that does not speak TLS is rejected with the right error") {
  const std::string client_hello = [] {
    ClientServerPair peers(site_context());
    peers.client.handshake();
    return peers.client.take_output();
  }();
  struct Case {
    std::string why;
    std::string bytes;
    Error error;
  };
  std::string broken_hello = client_hello;
  broken_hello[9] = '\x02';  // of the version
  std::string wrong_length = client_hello;
  wrong_length[43] = '\xff';  // the session id's
  const Case cases[] = {
      {"an HTTP request", "GET / HTTP/1.1\r\n", Error::plain_http},
      {"the first byte of a request", "D", Error::plain_http},
      {"a method in lower case", "get /", Error::plain_http},
      {"zeros", std::string(100, '\0'), Error::malformed},
      {"ones", std::string(100, '\xff'), Error::malformed},
      {"application data before any handshake", std::string("\x17\x03\x03\x00\x01x", 6), Error::malformed},
      {"a record above the size limit", std::string("\x16\x03\x01\xff\xff", 5) + std::string(70'000, 'x'),
       Error::malformed},
      {"an empty handshake record", std::string("\x16\x03\x01\x00\x00", 5) + std::string(100, '\0'), Error::malformed},
      {"a hello of SSL 2", std::string("\x80\x09\x01\x00\x02\x00\x00\x00\x00\x00\x00", 11), Error::malformed},
      {"an unknown version", broken_hello, Error::malformed},
      {"a wrong length", wrong_length, Error::malformed},
      {"an alert before any handshake", std::string("\x15\x03\x03\x00\x02\x02\x28", 7), Error::malformed},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemoryStream transport;
    transport.incoming = c.bytes;
    Session session(site_context());
    const auto progress = session.handshake(transport);
    CHECK(words_of(progress) == make_error_code(c.error).message());
    if (c.error == Error::plain_http) CHECK(transport.outgoing.empty());  // the response will be plain text
  }
}

TEST_CASE("unsupported versions and application protocols are rejected") {
  Options modern = test::options_for(site());
  modern.preset = Preset::modern;
  const auto modern_context = test::load(modern);
  struct Case {
    std::string why;
    std::shared_ptr<const Context> context;
    ClientOptions client;
    bool agreed;
  };
  const Case cases[] = {
      {"TLS 1.1", site_context(), {.version = TLS1_1_VERSION}, false},
      {"TLS 1.0", site_context(), {.version = TLS1_VERSION}, false},
      {"TLS 1.2 and modern", modern_context, {.version = TLS1_2_VERSION}, false},
      {"TLS 1.3 and modern", modern_context, {.version = TLS1_3_VERSION}, true},
      {"HTTP/2 only", site_context(), {.protocols = "\x02h2"}, false},
      {"HTTP/2 or HTTP/1.1", site_context(), {.protocols = "\x02h2\x08http/1.1"}, true},
      {"HTTP/1.0 only", site_context(), {.protocols = "\x08http/1.0"}, true},
      {"the beginning of a name", site_context(), {.protocols = "\x06http/1"}, false},
      {"no application protocol", site_context(), {}, true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    ClientServerPair peers(c.context, c.client);
    CHECK(peers.shake_hands() == c.agreed);
    if (c.agreed) {
      const std::string_view protocol = peers.server.handshake_info().application_protocol;
      const std::string& offered = c.client.protocols;
      CHECK(protocol == (offered.empty() ? "" : offered.ends_with("http/1.0") ? "http/1.0" : "http/1.1"));
      continue;
    }
    CHECK(words_of(peers.progress) == make_error_code(Error::negotiation_failed).message());
    CHECK_FALSE(peers.server.failure().empty());
    CHECK(peers.client.failed());  // it received an alert
  }
}

TEST_CASE("the certificate is selected by the client's host name") {
  const TestCertificate wild({.common_name = "wild", .names = "DNS:*.wild.example,DNS:also.example"});
  const TestCertificate exact({.common_name = "exact", .names = "DNS:one.wild.example"});
  const TestCertificate unnamed({.common_name = "unnamed.example"});
  Options options = test::options_for(site());
  options.more_certificates = {wild.pair(), exact.pair(), unnamed.pair()};
  const auto context = test::load(options);
  struct Case {
    std::string host;
    std::string certificate;
  };
  const Case cases[] = {{"site.example", "site"},      {"SITE.EXAMPLE", "site"},
                        {"two.wild.example", "wild"},  {"also.example", "wild"},
                        {"one.wild.example", "exact"}, {"a.b.wild.example", "site"},
                        {"wild.example", "site"},      {"unnamed.example", "site"},
                        {"unknown", "site"},           {"", "site"}};
  for (const Case& c : cases) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      CAPTURE(c.host);
      ClientServerPair peers(context, {.server_name = c.host, .version = version});
      REQUIRE(peers.shake_hands());
      CHECK(peers.client.server_common_name() == c.certificate);
    }
  }
}

TEST_CASE("renegotiation is refused, and the connection continues") {
  ClientServerPair peers(site_context(), {.version = TLS1_2_VERSION});
  REQUIRE(peers.shake_hands());
  REQUIRE(SSL_renegotiate(peers.client.ssl()) == 1);
  SSL_do_handshake(peers.client.ssl());
  peers.carry();
  const auto nothing = peers.server_read();
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error() == std::errc::operation_would_block);
  CHECK_FALSE(peers.transport.outgoing.empty());  // the alert no_renegotiation
  CHECK(peers.server_write("still here") == std::size_t{10});
}

TEST_CASE("a client that does not trust the server causes refused_by_peer") {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    ClientServerPair peers(site_context(), {.version = version});
    SSL_set_verify(peers.client.ssl(), SSL_VERIFY_PEER, nullptr);
    CHECK_FALSE(peers.shake_hands());
    CHECK(words_of(peers.progress) == make_error_code(Error::refused_by_peer).message());
    CHECK(peers.server.failure() == "tlsv1 alert unknown ca");
  }
}

// In libssl 3.0 an SSL object takes 7.4 KiB, its two ciphers 2 KiB and its session 0.9 KiB. Since 3.2 the record layer
// of each direction is an object of its own, with arrays for 32 pipelined records, and takes 4.4 KiB. None of this
// memory can be released while the connection lives. The buffer of a record, which must not be part of it, takes more
// than 16 KiB.
constexpr std::size_t kIdleBytesMax = OPENSSL_VERSION_NUMBER < 0x30200000L ? 13 * 1024 + 512 : 22 * 1024;

TEST_CASE("an idle connection has no buffers, and one with a silent client takes almost no memory") {
  if (volt::test::kSanitized) return;  // the allocator of a sanitizer does not support mallinfo2()
  constexpr std::size_t kConnections = 100;
  const auto in_use = [] { return ::mallinfo2().uordblks; };
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    std::vector<Session> sessions;
    sessions.reserve(kConnections);
    std::vector<std::string> flights;
    std::size_t before = in_use();
    for (std::size_t i = 0; i != kConnections; ++i) sessions.emplace_back(site_context());
    CHECK((in_use() - before) / kConnections <= 64);

    before = in_use();
    for (Session& session : sessions) {
      MemoryStream transport;
      test::OpensslClient client({.version = version});
      for (int round = 0; round != 4; ++round) {
        client.handshake();
        static_cast<void>(client.read());
        transport.incoming = client.take_output();
        REQUIRE(session.handshake(transport).has_value());
        client.feed(std::exchange(transport.outgoing, {}));
      }
      client.write("GET / HTTP/1.1\r\n\r\n");
      transport.incoming = client.take_output();
      std::byte into[100];
      REQUIRE(session.read(transport, into) == std::size_t{18});
      REQUIRE(session.write(transport, into) == sizeof into);
    }
    const std::size_t each = (in_use() - before) / kConnections;
    CAPTURE(version);
    CHECK(each <= kIdleBytesMax);
  }
}

}  // namespace volt::tls::internal
