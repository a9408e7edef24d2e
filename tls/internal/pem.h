// SPDX-License-Identifier: MIT

// Parses PEM files (RFC 7468) into objects of libcrypto. Errors are sentences for the operator, which name the file.
//
// Threads: functions without shared state. read_pem() and read_passphrase() block on files.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "tls/internal/handles.h"

namespace volt::tls::internal {

template <class T>
using Loaded = std::expected<T, std::string>;

// Returns the error "WHERE: WHAT", such as "certificate full.pem: has expired".
[[nodiscard]] std::unexpected<std::string> wrong(std::string_view where, std::string_view what);

// Overwrites the text and the rest of its buffer, and makes it empty.
void wipe(std::string& text) noexcept;

// The PEM text of an option, which holds either the text or the path of a file.
struct PemText {
  std::string where;  // its name in messages, such as "certificate full.pem"
  std::string text;   // may be a private key; overwritten at the end

  ~PemText() { wipe(text); }
};

// Returns `source` if it is PEM text, else the content of the file `source`. `role` is the name of the option, such as
// "certificate".
[[nodiscard]] Loaded<PemText> read_pem(std::string_view role, const std::string& source);

// Returns all certificates in `pem` in their order. It is an error if there is none.
[[nodiscard]] Loaded<std::vector<CertificateHandle>> parse_certificates(const PemText& pem);

// Returns all revocation lists (RFC 5280 section 5) in `pem` in their order. It is an error if there is none.
[[nodiscard]] Loaded<std::vector<RevocationListHandle>> parse_revocation_lists(const PemText& pem);

// The passphrase of encrypted keys.
struct Passphrase {
  std::string where;  // name of its file in messages; empty if there is no passphrase
  std::string text;   // overwritten at the end

  ~Passphrase() { wipe(text); }
};

// Reads the passphrase from a file. Returns an empty one if `path` is empty.
[[nodiscard]] Loaded<Passphrase> read_passphrase(const std::string& path);
// Parses the private key in `pem`, which may be encrypted.
[[nodiscard]] Loaded<KeyHandle> parse_key(const PemText& pem, const Passphrase& passphrase);

}  // namespace volt::tls::internal
