// What a handshake settled, as values of their own: they outlive the connection.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace volt::tls {

// The views are of text that lives as long as the program.
struct HandshakeInfo {
  std::string_view protocol;              // "TLSv1.3"
  std::string_view cipher;                // "TLS_AES_128_GCM_SHA256"
  std::string_view application_protocol;  // "http/1.1"; empty: the client did not negotiate one
  std::string server_name;                // the host that the client named (SNI), in lower case; empty: none
  bool resumed = false;                   // by a ticket
};

// A certificate that the client has proven to be its own and that an authority of Options::client_ca signed: one that
// does not verify never gets here.
struct ClientCertificate {
  std::string subject;             // as RFC 4514 writes it: "CN=alice,O=Example"
  std::vector<std::string> names;  // its alternative names: "DNS:a.example", "IP:192.0.2.1", "email:...", "URI:..."
  std::string sha256;              // fingerprint of `der`, in lower-case hexadecimal
  std::vector<std::byte> der;      // the certificate itself
};

}  // namespace volt::tls
