// SPDX-License-Identifier: MIT

// libFuzzer: verifying any token ends without harm. The fuzz target also signs the input itself; claims accepted after
// the signature have the required form.
//
// The first input byte chooses how to use the input: as a token, as header and payload, split at the first NUL, of a
// signed token, or, if the byte is 'K', as a key set. A key set that was read is written and read again.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/auth/jwk.h"
#include "http/auth/jwt.h"
#include "runtime/base/check.h"
#include "tests/http/auth/signed_token.h"

namespace volt::http::auth {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::sys_seconds kNow{1'700'000'000s};

const JwtVerifier& verifier() {
  static const JwtVerifier by({JwtKey::from_secret(JwtAlgorithm::hs256, crypto::as_bytes(kTestSecret)).value()},
                              {.issuer = "a", .leeway = 0s});
  return by;
}

void check_signed(std::string_view input) {
  const std::size_t cut = input.find('\0');
  if (cut == std::string_view::npos) return;
  const std::string_view payload = input.substr(cut + 1);
  const auto claims = verifier().verify(signed_token(input.substr(0, cut), payload), kNow);
  if (!claims) return;
  VOLT_CHECK(claims->issuer == "a" && claims->audience.empty());
  VOLT_CHECK(claims->expires && *claims->expires > kNow);
  VOLT_CHECK(!claims->not_before || *claims->not_before <= kNow);
  VOLT_CHECK(claims->payload == payload);
  VOLT_CHECK(parse_jwt_header(input.substr(0, cut))->algorithm == "HS256");
}

void check_key_set(std::string_view input) {
  const auto set = parse_key_set(input);
  if (!set) return;
  const auto again = parse_key_set(format_key_set(set->keys));
  VOLT_CHECK(again && again->skipped == 0 && again->keys.size() == set->keys.size());
  for (std::size_t i = 0; i != set->keys.size(); ++i) {
    VOLT_CHECK(again->keys[i].id() == set->keys[i].id() && again->keys[i].algorithm() == set->keys[i].algorithm());
  }
}

}  // namespace
}  // namespace volt::http::auth

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace volt::http::auth;
  if (size < 1 || size > 4096) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 'K') {
    check_key_set(input);
  } else if (data[0] % 4 != 0) {
    check_signed(input);
  } else {
    VOLT_CHECK(!verifier().verify(input, kNow));  // no input can guess a signature
  }
  return 0;
}
