// SPDX-License-Identifier: MIT

// Options: the certificates and protocol settings of a TLS listener.
//
//   tls::Options{.certificate = "full.pem", .key = "key.pem"}
//
// Every certificate and key is given as the path of a PEM file, or as PEM text ("-----BEGIN ..."), for example for a
// secret from the environment or for a development certificate. The file of a certificate holds the certificate first,
// then the chain that leads to its root.
//
// These properties are fixed, since no deployment benefits from the alternative: ALPN offers only http/1.1 (RFC 7301),
// there is no renegotiation, no compression and no early data, and all cipher suites have forward secrecy.
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

// Mozilla's recommended settings for servers, without the finite-field Diffie-Hellman suites: these are slow for the
// server, and no client with TLS 1.2 needs them.
enum class Preset : std::uint8_t {
  intermediate,  // TLS 1.2 and 1.3
  modern,        // TLS 1.3
};

enum class ClientCertificates : std::uint8_t {
  none,      // no certificate is requested
  optional,  // a certificate is requested; a missing one is accepted, but an invalid one ends the handshake
  required,  // a certificate is requested; a missing or invalid one ends the handshake
};

struct Options {
  // Default certificate: used if the client sends no host name (SNI), or one that no certificate is valid for.
  std::string certificate = {};
  std::string key = {};  // private key of `certificate`
  // Path of a file with the passphrase of encrypted keys, those of more_certificates included; empty if no key is
  // encrypted. The file is read whenever the keys are. One trailing newline is ignored.
  std::string key_password_file = {};
  // Additional certificates, selected by the client's host name (SNI). A certificate is selected for the DNS names that
  // it lists. A wildcard such as "*.example.com" matches exactly one label (RFC 9525 section 6.3). Of several
  // certificates for one name the first is used. An exact name takes precedence over a wildcard.
  std::vector<CertificateAndKey> more_certificates = {};

  Preset preset = Preset::intermediate;

  ClientCertificates client_certificates = ClientCertificates::none;
  std::string client_ca = {};  // PEM with the authorities that may sign client certificates
  // PEM with the revocation lists (CRL, RFC 5280 section 5) of all authorities of client certificates, including the
  // intermediate ones; empty: revocation is not checked. A client whose certificate is revoked is refused, and so is a
  // client whose authority has no current list here.
  std::string client_crl = {};

  std::chrono::milliseconds handshake_timeout = std::chrono::seconds(10);  // maximum duration of a handshake

  // Whether clients can resume sessions by tickets. Clients store the tickets, so the server has no session cache that
  // could grow. A ticket is valid for twice ticket_key_lifetime, and for at most 7 days (RFC 8446 section 4.6.1). With
  // a client certificate, it resumes only while the certificate would be accepted, and only if `client_ca` contains the
  // intermediate authorities: a ticket does not.
  bool session_tickets = true;
  // How often the key that encrypts tickets rotates. The two previous keys still decrypt tickets.
  std::chrono::milliseconds ticket_key_lifetime = std::chrono::hours(1);
};

}  // namespace volt::tls
