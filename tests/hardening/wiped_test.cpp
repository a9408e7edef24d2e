// SPDX-License-Identifier: MIT

// Searches all writable memory of this process for secrets that are no longer in use.
//
// A test lets an object use a secret and destroys the object. Then no copy may be left, neither in freed memory nor on
// the stack. The test itself keeps only the complement of the secret.
#include <doctest/doctest.h>
#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crypto/base64.h"
#include "crypto/bytes.h"
#include "crypto/secret_bytes.h"
#include "crypto/secret_key.h"
#include "http/auth/basic.h"
#include "http/auth/jwt_key.h"
#include "http/cookies/cookie_keys.h"
#include "tls/internal/pem.h"
#include "tls/internal/ticket_keys.h"

namespace {

using namespace volt;

// The text that is searched for. It is in memory only while reveal() is in use.
class Secret {
 public:
  // `freed_bytes`: how many bytes at the front free() may overwrite, so that the search leaves them out.
  explicit Secret(std::span<const std::byte> bytes, std::size_t freed_bytes) : skipped_(freed_bytes) {
    for (const std::byte each : bytes) complement_.push_back(~each);
  }
  // Digits and letters; so many that other allocations of the test do not overwrite a freed block of this size.
  static Secret random() {
    std::string text;
    text.reserve(640);
    while (text.size() < text.capacity()) {
      for (const std::byte each : crypto::random_key())
        text += static_cast<char>('A' + std::to_integer<int>(each) % 26);
    }
    const Secret secret(crypto::as_bytes(text), 64);
    crypto::wipe(text);
    return secret;
  }

  [[nodiscard]] std::string reveal() const {
    std::string text;
    text.reserve(complement_.size());
    for (const std::byte each : complement_) text += static_cast<char>(~each);
    return text;
  }

  // Compares without a copy of the secret.
  [[nodiscard]] bool is_at(const std::byte* at) const noexcept {
    for (std::size_t i = skipped_; i != complement_.size(); ++i) {
      if (at[i - skipped_] != ~complement_[i]) return false;
    }
    return true;
  }
  [[nodiscard]] std::size_t size() const noexcept { return complement_.size() - skipped_; }

 private:
  std::vector<std::byte> complement_;
  std::size_t skipped_;
};

struct Mapping {
  std::uintptr_t begin;
  std::uintptr_t end;
};

std::vector<Mapping> writable_memory() {
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());  // nothing that is listed may be unmapped
  std::vector<Mapping> mappings;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t space = line.find(' ');
    if (line.compare(space + 1, 2, "rw") != 0) continue;
    char* dash = nullptr;
    const std::uintptr_t begin = std::strtoull(line.c_str(), &dash, 16);
    mappings.push_back({begin, std::strtoull(dash + 1, nullptr, 16)});
  }
  return mappings;
}

// Returns the number of places in memory that hold the secret.
int copies_of(const Secret& secret) {
  int copies = 0;
  for (const Mapping& mapping : writable_memory()) {
    const auto* at = reinterpret_cast<const std::byte*>(mapping.begin);
    const auto* end = reinterpret_cast<const std::byte*>(mapping.end);
    for (; static_cast<std::size_t>(end - at) >= secret.size(); ++at) {
      if (secret.is_at(at)) ++copies;
    }
  }
  return copies;
}

// Uses a secret, and overwrites the argument.
template <class Use>
void use_and_wipe(const Secret& secret, Use use) {
  std::string text = secret.reveal();
  use(std::string_view(text));
  crypto::wipe(text);
}

TEST_SUITE_BEGIN("hardening/wiped");

TEST_CASE("the search finds a secret in use, a copy in freed memory, and nothing after wipe()") {
  const Secret secret = Secret::random();
  CHECK(copies_of(secret) == 0);
  std::string text = secret.reveal();
  CHECK(copies_of(secret) == 1);
  auto copy = std::make_unique<std::vector<char>>(text.begin(), text.end());
  CHECK(copies_of(secret) == 2);
  copy.reset();
  CHECK(copies_of(secret) == 2);
  crypto::wipe(text);
  CHECK(text.empty());
  CHECK(copies_of(secret) == 1);
}

TEST_CASE("SecretBytes leaves nothing when it is copied, moved, assigned and destroyed") {
  const Secret secret = Secret::random();
  use_and_wipe(secret, [&](std::string_view text) {
    crypto::SecretBytes bytes(crypto::as_bytes(text));
    crypto::SecretBytes copy = bytes;
    CHECK(copies_of(secret) == 3);
    bytes = crypto::SecretBytes(crypto::as_bytes("other"));
    const crypto::SecretBytes moved = std::move(copy);
    CHECK(crypto::as_text(moved.view()) == text);
    CHECK(copies_of(secret) == 2);
  });
  CHECK(copies_of(secret) == 0);
}

TEST_CASE("keys for JSON Web Tokens leave nothing") {
  const Secret secret = Secret::random();
  use_and_wipe(secret, [](std::string_view text) {
    const auto key = http::auth::JwtKey::from_secret(http::auth::JwtAlgorithm::hs256, crypto::as_bytes(text), "id");
    REQUIRE(key);
    const http::auth::JwtKey copy = *key;
    CHECK_FALSE(copy.verify(crypto::as_bytes("data"), crypto::as_bytes("forged")));
  });
  CHECK(copies_of(secret) == 0);
}

TEST_CASE("keys for cookies leave neither their secrets nor the keys derived from them") {
  const Secret secret = Secret::random();
  std::optional<Secret> derived;
  use_and_wipe(secret, [&](std::string_view text) {
    const http::CookieKeys keys({text});
    derived.emplace(keys.ring().front(), 16);
    CHECK(copies_of(*derived) == 1);
    const http::CookieKeys copy = keys;
    const auto value = copy.encrypt("name", "value", std::chrono::hours(1));
    CHECK(keys.decrypt("name", value) == "value");
  });
  CHECK(copies_of(secret) == 0);
  CHECK(copies_of(*derived) == 0);
}

TEST_CASE("credentials of Basic authentication leave no password") {
  const Secret secret = Secret::random();
  use_and_wipe(secret, [](std::string_view text) {
    std::string plain = "user:";
    plain.reserve(plain.size() + text.size());
    plain += text;
    const std::string field = "Basic " + crypto::base64_encode(crypto::as_bytes(plain));
    crypto::wipe(plain);
    const auto credentials = http::auth::parse_basic(field);
    REQUIRE(credentials);
    const http::auth::BasicCredentials copy = *credentials;
    CHECK(copy.equal("user", text));
  });
  CHECK(copies_of(secret) == 0);
}

TEST_CASE("session ticket keys leave nothing after rotation, handoff and destruction") {
  using tls::internal::TicketKeys;
  std::optional<Secret> oldest;
  {
    TicketKeys keys(std::chrono::seconds(60));
    const auto start = TicketKeys::Clock::now();
    auto first = keys.newest(start);
    REQUIRE(first);
    oldest.emplace(std::as_bytes(std::span(first->cipher)), 0);
    tls::internal::wipe(*first);
    for (int minutes = 1; minutes <= 2; ++minutes) {
      auto next = keys.newest(start + std::chrono::minutes(minutes));
      REQUIRE(next);
      tls::internal::wipe(*next);
    }
    CHECK(copies_of(*oldest) == 1);
    std::string exported = keys.export_keys();
    TicketKeys replacement(std::chrono::seconds(60));
    CHECK(replacement.import_keys(exported, start + std::chrono::minutes(2)));
    crypto::wipe(exported);
    CHECK(copies_of(*oldest) == 2);
    auto last = replacement.newest(start + std::chrono::minutes(3));  // drops the oldest
    REQUIRE(last);
    tls::internal::wipe(*last);
    CHECK(copies_of(*oldest) == 1);
  }
  CHECK(copies_of(*oldest) == 0);
}

TEST_CASE("files with passphrases and private keys leave nothing") {
  const Secret secret = Secret::random();
  char path[] = "/tmp/volt_wiped_XXXXXX";
  const int fd = ::mkstemp(path);
  REQUIRE(fd >= 0);
  use_and_wipe(secret, [&](std::string_view text) {
    REQUIRE(::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    const auto passphrase = tls::internal::read_passphrase(path);
    REQUIRE(passphrase);
    CHECK(passphrase->text == text);
    const auto pem = tls::internal::read_pem("key", path);
    REQUIRE(pem);
    CHECK(pem->text == text);
  });
  ::close(fd);
  ::unlink(path);
  CHECK(copies_of(secret) == 0);
}

TEST_SUITE_END();

}  // namespace
