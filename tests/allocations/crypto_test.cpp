// SPDX-License-Identifier: MIT

// The functions of crypto when allocations fail, of which libcrypto makes some: whichever fails, they throw
// std::bad_alloc, for which a request gets 503. They never end the process, and never give a wrong result.
#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <new>
#include <string>

#include "crypto/aead.h"
#include "crypto/bytes.h"
#include "crypto/digest.h"
#include "crypto/hmac.h"
#include "crypto/private_key.h"
#include "crypto/secret_key.h"
#include "tests/allocations/failing.h"
#include "tests/crypto/jose_examples.h"

namespace volt::crypto {
namespace {

using test::Counted;
using test::FailingAllocation;

struct Outcomes {
  int right = 0;
  int out_of_memory = 0;
  int wrong = 0;
};

// Calls `function` again and again while its first, second .. allocation fails, until it makes no more of them.
// `function` returns whether its result is right.
Outcomes call_without_memory(const std::function<bool()>& function) {
  REQUIRE(function());  // makes the allocations that are made only once
  Outcomes outcomes;
  bool met = true;
  for (std::uint64_t number = 1; met; ++number) {
    REQUIRE(number < 10'000);
    const FailingAllocation failing(Counted::this_thread, number);
    try {
      const bool right = function();
      ++(right ? outcomes.right : outcomes.wrong);
    } catch (const std::bad_alloc&) {  // decided: the test counts it
      ++outcomes.out_of_memory;
    }
    met = failing.met();
  }
  return outcomes;
}

}  // namespace

TEST_SUITE_BEGIN("allocations/crypto");

TEST_CASE("a function of crypto whose allocation fails throws std::bad_alloc") {
  const auto text = as_bytes("a text");
  const SecretKey key = random_key();
  const auto sealed = seal(key, text);
  const Sha256 digest = sha256(text);
  const auto mac = hmac_sha256(key, text);
  const PrivateKey rsa = PrivateKey::from_pem(examples::kRs256PrivateKey).value();
  const PrivateKey curve = PrivateKey::generate(KeyKind::p256);
  const PublicKey rsa_public = rsa.public_key();
  const PublicKey curve_public = curve.public_key();
  const auto rsa_signature = rsa.sign(SignatureAlgorithm::rs256, text);
  const auto curve_signature = curve.sign(SignatureAlgorithm::es256, text);
  const struct {
    std::string why;
    std::function<bool()> function;
  } cases[] = {
      {"a digest", [&] { return sha256(text) == digest; }},
      {"a message authentication code", [&] { return hmac_sha256(key, text) == mac; }},
      {"sealing", [&] { return open(key, seal(key, text)).has_value(); }},
      {"opening", [&] { return open(key, sealed).has_value(); }},
      {"signing with RSA", [&] { return rsa.sign(SignatureAlgorithm::rs256, text) == rsa_signature; }},
      {"signing with a curve", [&] { return curve.sign(SignatureAlgorithm::es256, text).size() == 64; }},
  };
  for (const auto& [why, function] : cases) {
    CAPTURE(why);
    const Outcomes outcomes = call_without_memory(function);
    CHECK(outcomes.wrong == 0);
    CHECK(outcomes.right > 0);
    CHECK(outcomes.out_of_memory > 0);
  }
  // A verification for which libcrypto lacks memory may fail, because libcrypto does not say why.
  const struct {
    std::string why;
    std::function<bool()> function;
  } verifications[] = {
      {"RSA", [&] { return rsa_public.verify(SignatureAlgorithm::rs256, text, rsa_signature); }},
      {"a curve", [&] { return curve_public.verify(SignatureAlgorithm::es256, text, curve_signature); }},
  };
  for (const auto& [why, function] : verifications) {
    CAPTURE(why);
    const Outcomes outcomes = call_without_memory(function);
    CHECK(outcomes.right > 0);
    CHECK(outcomes.out_of_memory > 0);
  }
  CHECK(sha256(text) == digest);
}

TEST_SUITE_END();

}  // namespace volt::crypto
