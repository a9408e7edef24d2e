// PEM files (RFC 7468) as libcrypto's objects. Errors are sentences for the operator, which name the file.
//
// Threads: pure functions but for the files they read.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "tls/internal/handles.h"

namespace volt::tls::internal {

template <class T>
using Loaded = std::expected<T, std::string>;

// "certificate full.pem: has expired".
[[nodiscard]] std::unexpected<std::string> wrong(std::string_view where, std::string_view what);

// What an option names: the PEM itself if it is one, else the content of that file.
struct PemText {
  std::string where;  // "certificate full.pem": how to speak of it
  std::string text;
};

// `role` is what the option calls it: "certificate".
[[nodiscard]] Loaded<PemText> read_pem(std::string_view role, const std::string& source);

// All certificates in it, at least one, in their order.
[[nodiscard]] Loaded<std::vector<CertificateHandle>> parse_certificates(const PemText& pem);

// What opens encrypted keys.
struct Passphrase {
  std::string where;  // as PemText's; empty: there is none
  std::string text;
};

// Of that file; none if its path is empty.
[[nodiscard]] Loaded<Passphrase> read_passphrase(const std::string& path);
[[nodiscard]] Loaded<KeyHandle> parse_key(const PemText& pem, const Passphrase& passphrase);

}  // namespace volt::tls::internal
