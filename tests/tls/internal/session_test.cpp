// Handshakes: who may speak, with which certificate, and what becomes of those who may not.
#include "tls/internal/session.h"

#include <doctest/doctest.h>
#include <malloc.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/support/sanitizers.h"
#include "tests/tls/meeting.h"
#include "tls/error.h"

namespace volt::tls::internal {
namespace {

using test::ClientOptions;
using test::Meeting;
using test::MemoryWire;
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
    Meeting meeting(site_context(), {.server_name = "Site.Example", .protocols = "\x08http/1.1", .version = c.version});
    REQUIRE(meeting.shake_hands());
    const ConnectionFacts facts = meeting.server.facts();
    CHECK(facts.protocol == c.protocol);
    CHECK(facts.cipher == c.cipher);
    CHECK(facts.server_name == "site.example");
    CHECK(facts.application_protocol == "http/1.1");
    CHECK_FALSE(facts.resumed);
    CHECK_FALSE(meeting.server.client_certificate().has_value());

    meeting.client.write("to the server");
    meeting.carry();
    CHECK(meeting.server_read() == std::string("to the server"));
    CHECK(meeting.server_write("to the client") == std::size_t{13});
    meeting.carry();
    CHECK(meeting.client.read() == "to the client");
  }
}

TEST_CASE("a flight is one write, and the tickets of TLS 1.3 go with the first answer") {
  struct Case {
    int version;
    std::size_t writes;
  };
  for (const Case& c : {Case{TLS1_2_VERSION, 2}, Case{TLS1_3_VERSION, 1}}) {
    Meeting meeting(site_context(), {.version = c.version});
    REQUIRE(meeting.shake_hands_only());
    CHECK(meeting.wire.writes == c.writes);
    CHECK(meeting.server_write("hello") == std::size_t{5});
    CHECK(meeting.wire.writes == c.writes + 1);
    meeting.carry();
    CHECK(meeting.client.read() == "hello");
    CHECK(SSL_SESSION_is_resumable(meeting.client.session().get()) == 1);
  }
}

TEST_CASE("tickets do not wait for an answer that does not come") {
  Meeting meeting(site_context());
  REQUIRE(meeting.shake_hands_only());
  meeting.carry();
  CHECK(meeting.client.read().empty());
  CHECK(SSL_SESSION_is_resumable(meeting.client.session().get()) == 0);
  CHECK_FALSE(meeting.server_read());
  CHECK(meeting.wire.writes == 2);
  meeting.carry();
  CHECK(meeting.client.read().empty());
  CHECK(SSL_SESSION_is_resumable(meeting.client.session().get()) == 1);
}

TEST_CASE("flights and tickets get through a wire that takes little at a time, wherever it stops") {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    for (const std::size_t room : {1, 2, 7, 100, 250, 1000}) {
      CAPTURE(version);
      CAPTURE(room);
      Meeting meeting(site_context(), {.version = version});
      for (int round = 0; round != 3000 && !(meeting.server_done() && meeting.client.done()); ++round) {
        meeting.wire.room = room;
        meeting.client.handshake();
        meeting.carry();
        REQUIRE(meeting.progress);
        if (!meeting.server_done()) meeting.progress = meeting.server.handshake(meeting.wire);
        meeting.carry();
      }
      REQUIRE(meeting.server_done());
      std::string_view left = "hello";
      std::string received;
      for (int round = 0; round != 3000 && received != "hello"; ++round) {
        meeting.wire.room = room;
        const auto count = left.empty() ? Result<std::size_t>(0) : meeting.server_write(left);
        if (count) left.remove_prefix(*count);
        meeting.carry();
        received += meeting.client.read();
      }
      CHECK(received == "hello");
      CHECK(SSL_SESSION_is_resumable(meeting.client.session().get()) == 1);
    }
  }
}

TEST_CASE("a wire that breaks before the tickets have gone ends the session") {
  Meeting meeting(site_context());
  REQUIRE(meeting.shake_hands_only());
  meeting.wire.broken = true;
  const auto nothing = meeting.server_read();
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error() == std::errc::broken_pipe);
}

TEST_CASE("one byte at a time is as good as a flight at once") {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    Meeting meeting(site_context(), {.version = version});
    meeting.wire.read_bytes_max = 1;
    REQUIRE(meeting.shake_hands());
    meeting.client.write("hello");
    meeting.carry();
    CHECK(meeting.server_read() == std::string("hello"));
  }
}

TEST_CASE("a hello in records of one byte each is a hello") {
  Meeting meeting(site_context());
  meeting.client.handshake();
  const std::string hello = meeting.client.take_output().substr(5);  // without its record's header
  for (const char byte : hello) meeting.wire.incoming += std::string("\x16\x03\x01\x00\x01", 5) + byte;
  CHECK(meeting.shake_hands());
}

TEST_CASE("what has come is enough, wherever the flight is cut") {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    Meeting whole(site_context(), {.version = version});
    REQUIRE(whole.shake_hands());
    for (std::size_t cut = 1; cut < whole.wire.bytes_read; ++cut) {
      Meeting meeting(site_context(), {.version = version});
      std::size_t fed = 0;
      for (int round = 0; round != 8 && !(meeting.server_done() && meeting.client.done()); ++round) {
        meeting.client.handshake();
        std::string flight = meeting.client.take_output();
        const std::size_t first = fed < cut ? std::min(cut - fed, flight.size()) : flight.size();
        fed += flight.size();
        for (const std::string& part : {flight.substr(0, first), flight.substr(first)}) {
          meeting.wire.incoming = part;
          if (meeting.progress && !meeting.server_done()) meeting.progress = meeting.server.handshake(meeting.wire);
        }
        meeting.carry();
      }
      CAPTURE(cut);
      REQUIRE(meeting.server_done());
    }
  }
}

TEST_CASE("a client that hangs up at any byte of the handshake is told apart from one that is done") {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    Meeting whole(site_context(), {.version = version});
    REQUIRE(whole.shake_hands());
    const std::size_t handshake_bytes = whole.wire.bytes_read;
    for (std::size_t given = 0; given != handshake_bytes; ++given) {
      CAPTURE(given);
      Meeting meeting(site_context(), {.version = version});
      std::size_t left = given;
      for (int round = 0; round != 6 && meeting.progress && !meeting.server_done(); ++round) {
        meeting.client.handshake();
        const std::string flight = meeting.client.take_output();
        meeting.wire.incoming = flight.substr(0, left);
        meeting.wire.ended = flight.size() > left;
        left -= meeting.wire.incoming.size();
        meeting.progress = meeting.server.handshake(meeting.wire);
        if (meeting.wire.ended && meeting.progress) meeting.progress = meeting.server.handshake(meeting.wire);
        meeting.client.feed(std::exchange(meeting.wire.outgoing, {}));
      }
      REQUIRE_FALSE(meeting.progress);
      CHECK(meeting.progress.error() == Error::truncated);
      CHECK(meeting.server.handshake(meeting.wire).error() == Error::truncated);  // and stays so
    }
  }
}

TEST_CASE("a client that speaks something else is refused, and the error says why") {
  const std::string client_hello = [] {
    Meeting meeting(site_context());
    meeting.client.handshake();
    return meeting.client.take_output();
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
      {"its first byte", "D", Error::plain_http},
      {"a method in lower case", "get /", Error::plain_http},
      {"zeros", std::string(100, '\0'), Error::malformed},
      {"ones", std::string(100, '\xff'), Error::malformed},
      {"application data before any handshake", std::string("\x17\x03\x03\x00\x01x", 6), Error::malformed},
      {"a record over the limit", std::string("\x16\x03\x01\xff\xff", 5) + std::string(70'000, 'x'), Error::malformed},
      {"an empty handshake record", std::string("\x16\x03\x01\x00\x00", 5) + std::string(100, '\0'), Error::malformed},
      {"a hello of SSL 2", std::string("\x80\x09\x01\x00\x02\x00\x00\x00\x00\x00\x00", 11), Error::malformed},
      {"a version that never was", broken_hello, Error::malformed},
      {"a length that lies", wrong_length, Error::malformed},
      {"an alert before any handshake", std::string("\x15\x03\x03\x00\x02\x02\x28", 7), Error::malformed},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemoryWire wire;
    wire.incoming = c.bytes;
    Session session(site_context());
    const auto progress = session.handshake(wire);
    CHECK(words_of(progress) == make_error_code(c.error).message());
    if (c.error == Error::plain_http) CHECK(wire.outgoing.empty());  // the answer is to be in plain text
  }
}

TEST_CASE("versions and application protocols that are not ours are refused") {
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
      {"the beginning of a name", site_context(), {.protocols = "\x06http/1"}, false},
      {"no application protocol", site_context(), {}, true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    Meeting meeting(c.context, c.client);
    CHECK(meeting.shake_hands() == c.agreed);
    if (c.agreed) continue;
    CHECK(words_of(meeting.progress) == make_error_code(Error::nothing_in_common).message());
    CHECK_FALSE(meeting.server.failure().empty());
    CHECK(meeting.client.failed());  // it was told
  }
}

TEST_CASE("the certificate is that of the host that the client names") {
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
      Meeting meeting(context, {.server_name = c.host, .version = version});
      REQUIRE(meeting.shake_hands());
      CHECK(meeting.client.server_common_name() == c.certificate);
    }
  }
}

TEST_CASE("client certificates are asked for, verified, and described") {
  const TestCertificate authority({.common_name = "authority", .authority = true});
  const TestCertificate other_authority({.common_name = "other", .authority = true});
  const TestCertificate alice(
      {.common_name = "alice", .names = "DNS:alice.example,IP:192.0.2.1,email:a@example", .issuer = &authority});
  const TestCertificate mallory({.common_name = "mallory", .issuer = &other_authority});
  const TestCertificate expired({.common_name = "expired", .issuer = &authority, .first_day = -9, .last_day = -2});
  const TestCertificate self_signed({.common_name = "alice"});
  enum class End { known, unknown, refused };
  struct Case {
    std::string why;
    ClientCertificates policy;
    const TestCertificate* certificate;
    End end;
  };
  using enum ClientCertificates;
  const Case cases[] = {
      {"not asked for, not given", none, nullptr, End::unknown},
      {"not asked for, so not given", none, &alice, End::unknown},
      {"optional, none", optional, nullptr, End::unknown},
      {"optional, good", optional, &alice, End::known},
      {"optional, of another authority", optional, &mallory, End::refused},
      {"required, none", required, nullptr, End::refused},
      {"required, good", required, &alice, End::known},
      {"required, of another authority", required, &mallory, End::refused},
      {"required, expired", required, &expired, End::refused},
      {"required, signed by itself", required, &self_signed, End::refused},
  };
  for (const Case& c : cases) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      CAPTURE(c.why);
      Options options = test::options_for(site());
      options.client_certificates = c.policy;
      if (c.policy != none) options.client_ca = authority.pem();
      Meeting meeting(test::load(options), {.version = version, .certificate = c.certificate});
      meeting.shake_hands();
      CHECK(meeting.server_done() == (c.end != End::refused));
      if (c.end == End::refused) {
        CHECK(words_of(meeting.progress) == make_error_code(Error::certificate_refused).message());
        CHECK_FALSE(meeting.server.failure().empty());
        continue;
      }
      const auto certificate = meeting.server.client_certificate();
      REQUIRE(certificate.has_value() == (c.end == End::known));
      if (!certificate) continue;
      CHECK(certificate->subject == "CN=alice");
      CHECK(certificate->names == std::vector<std::string>{"DNS:alice.example", "IP:192.0.2.1", "email:a@example"});
      CHECK(certificate->sha256.size() == 64);
      const auto* der = reinterpret_cast<const unsigned char*>(certificate->der.data());
      const CertificateHandle parsed(d2i_X509(nullptr, &der, static_cast<long>(certificate->der.size())));
      REQUIRE(parsed != nullptr);
      CHECK(X509_cmp(parsed.get(), alice.x509()) == 0);
    }
  }
}

TEST_CASE("a client that asks to negotiate anew is refused, and the connection goes on") {
  Meeting meeting(site_context(), {.version = TLS1_2_VERSION});
  REQUIRE(meeting.shake_hands());
  REQUIRE(SSL_renegotiate(meeting.client.ssl()) == 1);
  SSL_do_handshake(meeting.client.ssl());
  meeting.carry();
  const auto nothing = meeting.server_read();
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error() == std::errc::operation_would_block);
  CHECK_FALSE(meeting.wire.outgoing.empty());  // the alert no_renegotiation
  CHECK(meeting.server_write("still here") == std::size_t{10});
}

TEST_CASE("a client that does not trust the server says so, and the error is that it refused") {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    Meeting meeting(site_context(), {.version = version});
    SSL_set_verify(meeting.client.ssl(), SSL_VERIFY_PEER, nullptr);
    CHECK_FALSE(meeting.shake_hands());
    CHECK(words_of(meeting.progress) == make_error_code(Error::refused_by_peer).message());
    CHECK(meeting.server.failure() == "tlsv1 alert unknown ca");
  }
}

// SSL alone is 7.4 KiB in libssl 3.0, its two ciphers 2, its session 0.9: nothing of that can be given back.
TEST_CASE("an idle connection has no buffers, and one whose client is silent next to nothing") {
  if (volt::test::kSanitized) return;  // their allocator has accounts of its own
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
      MemoryWire wire;
      test::OpensslClient client({.version = version});
      for (int round = 0; round != 4; ++round) {
        client.handshake();
        static_cast<void>(client.read());
        wire.incoming = client.take_output();
        REQUIRE(session.handshake(wire).has_value());
        client.feed(std::exchange(wire.outgoing, {}));
      }
      client.write("GET / HTTP/1.1\r\n\r\n");
      wire.incoming = client.take_output();
      std::byte into[100];
      REQUIRE(session.read(wire, into) == std::size_t{18});
      REQUIRE(session.write(wire, into) == sizeof into);
    }
    const std::size_t each = (in_use() - before) / kConnections;
    CAPTURE(version);
    CHECK(each <= 13 * 1024 + 512);
  }
}

}  // namespace volt::tls::internal
