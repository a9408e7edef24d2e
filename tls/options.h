// Options: what a TLS listener offers and asks for.
//
//   tls::Options{.certificate = "full.pem", .key = "key.pem"}
//
// Every certificate and key is given as the path of a PEM file, or as the PEM text itself ("-----BEGIN ..."), as a
// secret from the environment or a development certificate is. A certificate's file holds the certificate first, then
// the chain that leads to its root.
//
// Not options, for nobody is served by the other choice: ALPN is http/1.1 (RFC 7301), there is no renegotiation, no
// compression, no early data, and forward secrecy only.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace volt::tls {

struct CertificateAndKey {
  std::string certificate;
  std::string key;
};

// Mozilla's recommendations for servers, less the finite-field Diffie-Hellman suites: they are slow for the server, and
// no client that has TLS 1.2 needs them.
enum class Preset : std::uint8_t {
  intermediate,  // TLS 1.2 and 1.3
  modern,        // TLS 1.3
};

enum class ClientCertificates : std::uint8_t {
  none,      // not asked for
  optional,  // asked for; a client may have none, but one that does not verify ends the handshake
  required,
};

struct Options {
  std::string certificate = {};  // the default one: for clients that name no host, or one that no certificate is for
  std::string key = {};
  // Opens keys that are encrypted, this one and those of more_certificates; "": none is. A path, read as often as they
  // are; a line end at its end does not count.
  std::string key_password_file = {};
  // Further ones, chosen by the host that the client names (SNI). A certificate is for the DNS names that it lists;
  // "*.example.com" among them is for one label in the place of the star (RFC 9525 section 6.3). Of several
  // certificates for one name the first is taken, and an exact name goes before a wildcard.
  std::vector<CertificateAndKey> more_certificates = {};

  Preset preset = Preset::intermediate;

  ClientCertificates client_certificates = ClientCertificates::none;
  std::string client_ca = {};  // whose certificates clients may have: PEM, of one authority or several

  std::chrono::milliseconds handshake_timeout = std::chrono::seconds(10);

  // Sessions resume by tickets alone, which the clients keep: no cache here that could grow. A ticket is good for
  // twice ticket_key_lifetime, at most 7 days (RFC 8446 section 4.6.1).
  bool session_tickets = true;
  std::chrono::milliseconds ticket_key_lifetime =
      std::chrono::hours(1);  // a new key after; the two before still open tickets
};

}  // namespace volt::tls
