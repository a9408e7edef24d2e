// SPDX-License-Identifier: MIT

// The results of a handshake, as values that may outlive the connection.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace volt::tls {

// The views refer to text that lives as long as the program.
struct HandshakeInfo {
  std::string_view protocol;              // "TLSv1.3"
  std::string_view cipher;                // "TLS_AES_128_GCM_SHA256"
  std::string_view application_protocol;  // "http/1.1" or "http/1.0"; empty without ALPN
  std::string server_name;                // host name of the client's SNI in lower case; empty if there is none
  bool resumed = false;                   // whether the session was resumed by a ticket
};

// A verified client certificate: the client proved that it has the private key, and an authority of Options::client_ca
// signed the certificate.
struct ClientCertificate {
  std::string subject;             // subject in the form of RFC 4514: "CN=alice,O=Example"
  std::vector<std::string> names;  // alternative names: "DNS:a.example", "IP:192.0.2.1", "email:...", "URI:..."
  std::string sha256;              // SHA-256 fingerprint of `der` in lower-case hexadecimal
  std::vector<std::byte> der;      // the certificate in DER form
};

}  // namespace volt::tls
