// SPDX-License-Identifier: MIT

// Tests of resumption: a ticket resumes only on its host, under an unchanged client policy, and while its key is kept.
#include "tls/internal/tickets.h"

#include <doctest/doctest.h>

#include <ctime>
#include <ostream>
#include <string>

#include "tests/tls/client_server_pair.h"
#include "tls/internal/ticket_keys.h"

namespace volt::tls::internal {
namespace {

using namespace std::chrono_literals;
using test::ClientOptions;
using test::ClientServerPair;
using test::SessionHandle;
using test::TestCertificate;

constexpr int kVersions[] = {TLS1_2_VERSION, TLS1_3_VERSION};

struct Sites {
  TestCertificate authority{{.common_name = "authority", .authority = true}};
  TestCertificate other_authority{{.common_name = "other authority", .authority = true}};
  TestCertificate client{{.common_name = "client", .issuer = &authority}};
  TestCertificate a{{.common_name = "a", .names = "DNS:a.example,DNS:*.both.example"}};
  TestCertificate b{{.common_name = "b", .names = "DNS:b.example"}};

  [[nodiscard]] Options options() const {
    Options both = test::options_for(a);
    both.more_certificates = {b.pair()};
    return both;
  }
};

const Sites& sites() {
  static const Sites all;
  return all;
}

std::shared_ptr<const Context> load(const Options& options, const std::shared_ptr<TicketKeys>& keys) {
  auto context = Context::load(options, keys);
  REQUIRE(context.has_value());
  return *context;
}

SessionHandle ticket_of(const std::shared_ptr<const Context>& context, const ClientOptions& client) {
  ClientServerPair peers(context, client);
  REQUIRE(peers.shake_hands());
  CHECK_FALSE(peers.server.handshake_info().resumed);
  return peers.client.session();
}

std::string ticket_text(const SessionHandle& session) {
  const unsigned char* ticket = nullptr;
  std::size_t bytes = 0;
  SSL_SESSION_get0_ticket(session.get(), &ticket, &bytes);
  return {reinterpret_cast<const char*>(ticket), bytes};
}

// Returns whether the ticket resumes. If not, the handshake must succeed as a full one.
bool resumes(const std::shared_ptr<const Context>& context, ClientOptions client, const SessionHandle& session) {
  client.session = session.get();
  ClientServerPair peers(context, client);
  REQUIRE(peers.shake_hands());
  CHECK(peers.server.handshake_info().resumed == peers.client.resumed());
  return peers.client.resumed();
}

// Makes the client count the tickets that it receives.
void count_tickets(const test::OpensslClient& client, int& count) {
  SSL_CTX* const context = SSL_get_SSL_CTX(client.ssl());
  SSL_CTX_set_app_data(context, &count);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, [](SSL* ssl, SSL_SESSION*) {
    ++*static_cast<int*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
    return 0;  // the library keeps ownership
  });
}

}  // namespace

TEST_SUITE_BEGIN("tls/internal/tickets");

TEST_CASE("a ticket resumes only on the host that issued it") {
  const auto context = load(sites().options(), std::make_shared<TicketKeys>(1h));
  struct Case {
    std::string why;
    std::string given_by;
    std::string offered_to;
    bool resumed;
  };
  const Case cases[] = {
      {"the same host", "a.example", "a.example", true},
      {"the same host in upper case", "a.example", "A.EXAMPLE", true},
      {"another certificate's host", "a.example", "b.example", false},
      {"the first host, with a ticket of the second", "b.example", "a.example", false},
      {"another host of the same wildcard", "one.both.example", "two.both.example", false},
      {"no host, with a ticket of a host", "a.example", "", false},
      {"a host, with a ticket of no host", "", "a.example", false},
      {"no host in both connections", "", "", true},
      {"an unknown host", "a.example", "c.example", false},
  };
  for (const int version : kVersions) {
    for (const Case& c : cases) {
      CAPTURE(c.why);
      const SessionHandle session = ticket_of(context, {.server_name = c.given_by, .version = version});
      REQUIRE(SSL_SESSION_has_ticket(session.get()) == 1);
      // The OpenSSL client does not compare hosts: it offers the given session.
      CHECK(resumes(context, {.server_name = c.offered_to, .version = version}, session) == c.resumed);
    }
  }
}

TEST_CASE("a ticket survives a reload, but not a change of the client policy") {
  Options asked = sites().options();
  asked.client_certificates = ClientCertificates::optional;
  asked.client_ca = sites().authority.pem();
  Options required = asked;
  required.client_certificates = ClientCertificates::required;
  Options other_authority = asked;
  other_authority.client_ca = sites().authority.pem() + sites().other_authority.pem();
  Options revoking = asked;
  revoking.client_crl = sites().authority.revocation_list({});
  Options renewed = sites().options();
  const TestCertificate new_certificate({.common_name = "a", .names = "DNS:a.example"});
  renewed.certificate = new_certificate.pem();
  renewed.key = new_certificate.key_pem();
  struct Case {
    std::string why;
    Options before;
    Options after;
    bool resumed;
  };
  const Case cases[] = {
      {"the same files", sites().options(), sites().options(), true},
      {"a renewed certificate", sites().options(), renewed, true},
      {"client certificates are now requested", sites().options(), asked, false},
      {"client certificates are now required", asked, required, false},
      {"client certificates can now be revoked", asked, revoking, false},
      {"an additional authority", asked, other_authority, false},
      {"the same policy", asked, asked, true},
  };
  for (const int version : kVersions) {
    for (const Case& c : cases) {
      CAPTURE(c.why);
      const auto keys = std::make_shared<TicketKeys>(1h);
      const ClientOptions client{.server_name = "a.example", .version = version, .certificate = &sites().client};
      const SessionHandle session = ticket_of(load(c.before, keys), client);
      CHECK(resumes(load(c.after, keys), client, session) == c.resumed);
    }
  }
}

TEST_CASE("a resumed session keeps the client certificate") {
  Options options = sites().options();
  options.client_certificates = ClientCertificates::required;
  options.client_ca = sites().authority.pem();
  const auto context = load(options, std::make_shared<TicketKeys>(1h));
  for (const int version : kVersions) {
    const SessionHandle session = ticket_of(context, {.version = version, .certificate = &sites().client});
    ClientServerPair peers(context, {.version = version, .session = session.get()});
    REQUIRE(peers.shake_hands());
    CHECK(peers.server.handshake_info().resumed);
    const auto certificate = peers.server.client_certificate();
    REQUIRE(certificate.has_value());
    CHECK(certificate->subject == "CN=client");
  }
}

TEST_CASE("a ticket resumes only while a full handshake would accept its client certificate") {
  Options expiring = sites().options();
  expiring.client_certificates = ClientCertificates::required;
  expiring.client_ca = sites().authority.pem();
  Options with_list = expiring;
  with_list.client_crl = sites().authority.revocation_list({}, 15);
  struct Case {
    std::string why;
    Options options;
    int days;
  };
  const Case cases[] = {{"expired certificate", expiring, 45}, {"expired revocation list", with_list, 20}};
  for (const int version : kVersions) {
    for (const Case& c : cases) {
      CAPTURE(c.why);
      const auto context = load(c.options, std::make_shared<TicketKeys>(1h));
      const ClientOptions client{.version = version, .certificate = &sites().client};
      const SessionHandle session = ticket_of(context, client);
      CHECK(resumes(context, client, session));
      SSL_CTX* const server = context->state().certificates.front().get();
      X509_VERIFY_PARAM_set_time(SSL_CTX_get0_param(server), std::time(nullptr) + std::time_t{c.days} * 86'400);
      ClientServerPair late(context, {.version = version, .session = session.get()});
      CHECK_FALSE(late.shake_hands());
    }
  }
}

TEST_CASE("a ticket resumes while its key is kept, and is renewed if the key is not the newest") {
  for (const int version : kVersions) {
    const auto keys = std::make_shared<TicketKeys>(1h);
    const auto context = load(sites().options(), keys);
    const ClientOptions client{.server_name = "a.example", .version = version};
    const SessionHandle session = ticket_of(context, client);
    // The steps are longer than one lifetime, so each one makes a new key.
    const auto begin = TicketKeys::Clock::now();
    REQUIRE(keys->newest(begin + 90min));
    CHECK(resumes(context, client, session));
    ClientServerPair renewing(context, {.server_name = "a.example", .version = version, .session = session.get()});
    REQUIRE(renewing.shake_hands());
    const SessionHandle renewed = renewing.client.session();

    REQUIRE(keys->newest(begin + 200min));  // more than three lifetimes after the first key was made
    CHECK_FALSE(resumes(context, client, session));
    CHECK(resumes(context, client, renewed));
  }
}

TEST_CASE("a TLS 1.3 client receives one new ticket in each handshake") {
  const auto context = load(sites().options(), std::make_shared<TicketKeys>(1h));
  SessionHandle session;
  for (int round = 0; round != 4; ++round) {
    ClientServerPair peers(context, {.version = TLS1_3_VERSION, .session = session.get()});
    int tickets = 0;
    count_tickets(peers.client, tickets);
    REQUIRE(peers.shake_hands());
    CHECK(tickets == 1);
    CHECK(peers.client.resumed() == (round != 0));
    SessionHandle next = peers.client.session();
    if (round != 0) CHECK(ticket_text(next) != ticket_text(session));
    session = std::move(next);
  }
}

TEST_CASE("tickets of another listener, and disabled tickets, cause a full handshake") {
  const auto context = load(sites().options(), std::make_shared<TicketKeys>(1h));
  const auto other_listener = load(sites().options(), std::make_shared<TicketKeys>(1h));
  Options without = sites().options();
  without.session_tickets = false;
  const auto without_tickets = load(without, nullptr);
  for (const int version : kVersions) {
    const ClientOptions client{.server_name = "a.example", .version = version};
    const SessionHandle session = ticket_of(context, client);
    CHECK(resumes(context, client, session));
    CHECK_FALSE(resumes(other_listener, client, session));
    CHECK_FALSE(resumes(without_tickets, client, session));
    const SessionHandle none = ticket_of(without_tickets, client);
    CHECK(SSL_SESSION_has_ticket(none.get()) == 0);
    CHECK_FALSE(resumes(without_tickets, client, none));
  }
}

}  // namespace volt::tls::internal
