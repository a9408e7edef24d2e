// SPDX-License-Identifier: MIT

#include "tls/internal/pem.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <system_error>

#include "runtime/file_descriptor.h"
#include "tls/internal/error_queue.h"

namespace volt::tls::internal {
namespace {

constexpr std::size_t kFileBytesMax = 4 * 1024 * 1024;  // larger than a system's bundle of authorities

std::unexpected<std::string> system_wrong(std::string_view where, int number) {
  return wrong(where, std::error_code(number, std::system_category()).message());
}

Loaded<std::string> read_file(std::string_view where, const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return system_wrong(where, errno);
  struct stat facts{};
  if (::fstat(file.get(), &facts) != 0) return system_wrong(where, errno);
  constexpr std::size_t kPieceBytes = 8192;
  std::string text;
  // Room for the whole file, because growing would leave a copy of a private key in freed memory.
  text.reserve(std::min(static_cast<std::size_t>(facts.st_size), kFileBytesMax) + kPieceBytes);
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + kPieceBytes);
    const ssize_t count = ::read(file.get(), text.data() + before, kPieceBytes);
    const int failure = errno;
    text.resize(before + (count < 0 ? 0 : static_cast<std::size_t>(count)));
    if (count < 0 && failure == EINTR) continue;
    if (count < 0) return system_wrong(where, failure);
    if (count == 0) return text;
    if (text.size() > kFileBytesMax) return wrong(where, "is larger than 4 MiB");
  }
}

BioHandle input_of(const PemText& pem) {
  return BioHandle(BIO_new_mem_buf(pem.text.data(), static_cast<int>(pem.text.size())));
}

// A request of libcrypto for a passphrase.
struct Question {
  std::string_view passphrase;  // empty if there is none
  bool asked = false;
};

// Passphrase callback. Without it libcrypto would prompt at the terminal.
int answer_question(char* into, int size, int, void* argument) {
  auto& question = *static_cast<Question*>(argument);
  question.asked = true;
  const std::string_view passphrase = question.passphrase;
  if (passphrase.empty() || passphrase.size() > static_cast<std::size_t>(size)) return -1;
  passphrase.copy(into, passphrase.size());
  return static_cast<int>(passphrase.size());
}

// Returns true if the last PEM_read_...() reached the end of the text, false if it found something unreadable.
bool at_end_of_pem() noexcept {
  const unsigned long code = ERR_peek_last_error();
  return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

// Returns all objects in `pem` that `read`, a PEM_read_bio_ function, finds.
template <class Handle, class Read>
Loaded<std::vector<Handle>> parse_all(const PemText& pem, Read read, std::string_view kind) {
  clear_errors();
  const BioHandle input = input_of(pem);
  Question question;
  std::vector<Handle> found;
  while (auto* object = read(input.get(), nullptr, answer_question, &question)) found.emplace_back(object);
  const bool whole = at_end_of_pem();
  clear_errors();
  if (!whole) return wrong(pem.where, "contains a damaged " + std::string(kind));
  if (found.empty()) return wrong(pem.where, "contains no PEM " + std::string(kind));
  return found;
}

}  // namespace

void wipe(std::string& text) noexcept {
  text.resize(text.capacity());  // within the capacity, so it does not allocate
  OPENSSL_cleanse(text.data(), text.size());
  text.clear();
}

std::unexpected<std::string> wrong(std::string_view where, std::string_view what) {
  return std::unexpected(std::string(where) + ": " + std::string(what));
}

Loaded<PemText> read_pem(std::string_view role, const std::string& source) {
  if (source.starts_with("-----BEGIN ")) {
    PemText given{std::string(role) + " given as text", source};
    if (given.text.size() > kFileBytesMax) return wrong(given.where, "is larger than 4 MiB");
    return given;
  }
  std::string where = std::string(role) + " " + source;
  if (source.empty()) return wrong(role, "no PEM file is set");
  Loaded<std::string> text = read_file(where, source);
  if (!text) return std::unexpected(std::move(text.error()));
  return PemText{std::move(where), std::move(*text)};
}

Loaded<std::vector<CertificateHandle>> parse_certificates(const PemText& pem) {
  return parse_all<CertificateHandle>(pem, PEM_read_bio_X509, "certificate");
}

Loaded<std::vector<RevocationListHandle>> parse_revocation_lists(const PemText& pem) {
  return parse_all<RevocationListHandle>(pem, PEM_read_bio_X509_CRL, "revocation list");
}

Loaded<Passphrase> read_passphrase(const std::string& path) {
  Passphrase passphrase;
  if (path.empty()) return passphrase;
  passphrase.where = "key_password_file " + path;
  Loaded<std::string> text = read_file(passphrase.where, path);
  if (!text) return std::unexpected(std::move(text.error()));
  passphrase.text = *text;
  wipe(*text);
  if (passphrase.text.ends_with('\n')) passphrase.text.pop_back();
  if (passphrase.text.empty()) return wrong(passphrase.where, "is empty");
  return passphrase;
}

Loaded<KeyHandle> parse_key(const PemText& pem, const Passphrase& passphrase) {
  clear_errors();
  const BioHandle input = input_of(pem);
  Question question{.passphrase = passphrase.text};
  KeyHandle key(PEM_read_bio_PrivateKey(input.get(), nullptr, answer_question, &question));
  clear_errors();
  if (key) return key;
  if (question.asked && passphrase.where.empty())
    return wrong(pem.where, "is encrypted, but key_password_file is not set");
  if (question.asked) return wrong(pem.where, "cannot be decrypted with " + passphrase.where);
  const bool damaged = pem.text.find("PRIVATE KEY-----") != std::string::npos;
  return wrong(pem.where, damaged ? "contains a damaged private key" : "contains no PEM private key");
}

}  // namespace volt::tls::internal
