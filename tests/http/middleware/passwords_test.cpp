// SPDX-License-Identifier: MIT

#include "http/middleware/passwords.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "http/web/problem.h"
#include "runtime/concurrent.h"
#include "runtime/runtime.h"
#include "tests/support/engine.h"

namespace volt::http {
namespace {

PasswordOptions cheap() {
  PasswordOptions options;
  options.cost = {.memory_kib = 64, .passes = 1, .lanes = 1};
  return options;
}

crypto::Pepper pepper_of(const char* id) {
  const std::vector<std::byte> secret(32, std::byte{7});
  return {.id = id, .secret = crypto::SecretBytes(secret)};
}

}  // namespace

TEST_SUITE_BEGIN("http/passwords");

TEST_CASE("a password is hashed, verified, and hashed again when the cost or the pepper has changed") {
  Runtime runtime(test_options());
  runtime.block_on([]() -> Task<> {
    const Passwords passwords(cheap());
    const std::string hash = co_await passwords.hash("secret");
    const bool right = co_await passwords.verify("secret", hash);
    const bool wrong = co_await passwords.verify("Secret", hash);
    const bool unknown_user = co_await passwords.verify("", std::nullopt);
    CHECK(right);
    CHECK(!wrong);
    CHECK(!unknown_user);  // although it is the password of the hash that was computed
    CHECK(!passwords.needs_rehash(hash));
    PasswordOptions dearer = cheap();
    dearer.cost.passes = 2;
    dearer.peppers.push_back(pepper_of("a"));
    const Passwords later(dearer);
    CHECK(later.needs_rehash(hash));
    const bool still = co_await later.verify("secret", hash);
    CHECK(still);
    const std::string again = co_await later.hash("secret");
    CHECK(!later.needs_rehash(again));
    const bool without_pepper = co_await passwords.verify("secret", again);
    CHECK(!without_pepper);
  });
}

TEST_CASE("a password that is too long is the client's mistake") {
  Runtime runtime(test_options());
  runtime.block_on([]() -> Task<> {
    const Passwords passwords(cheap());
    const std::string longest(crypto::kPasswordBytesMax, 'x');
    const std::string hash = co_await passwords.hash(longest);
    const bool longer_matches = co_await passwords.verify(longest + "x", hash);
    CHECK(!longer_matches);
    Status status = Status::ok;
    try {
      static_cast<void>(co_await passwords.hash(longest + "x"));
    } catch (const Problem& problem) {
      status = problem.status();
    }
    CHECK(status == Status::unprocessable_content);
  });
}

TEST_CASE("a hash that cannot be verified takes as long as one of another password") {
  Runtime runtime(test_options());
  runtime.block_on([]() -> Task<> {
    PasswordOptions options = cheap();
    options.cost = {.memory_kib = 16 * 1024, .passes = 2, .lanes = 1};
    const Passwords passwords(options);
    const struct {
      const char* why;
      std::string hash;
    } cases[] = {
        {"malformed", "$argon2id$v=19$m=8,t=1"},
        {"empty", ""},
        {"too expensive", "$argon2id$v=19$m=4194304,t=100,p=1$c2FsdHNhbHRzYWx0$c2FsdHNhbHRzYWx0"},
        {"an unknown pepper", "$argon2id$v=19$m=64,t=1,p=1,keyid=MQ$c2FsdHNhbHRzYWx0$c2FsdHNhbHRzYWx0"},
    };
    for (const auto& [why, hash] : cases) {
      const auto began = std::chrono::steady_clock::now();
      const bool matches = co_await passwords.verify("", hash);  // the password of the hash that is computed instead
      CHECK_MESSAGE(!matches, why);
      // Argon2 takes milliseconds for this cost on any machine; nothing else here does.
      CHECK_MESSAGE(std::chrono::steady_clock::now() - began > std::chrono::milliseconds(1), why);
    }
  });
}

TEST_CASE("calls wait for a place, and are refused if too many wait") {
  Runtime runtime(test_options());
  runtime.block_on([]() -> Task<> {
    PasswordOptions options = cheap();
    options.concurrent_max = 1;
    options.waiting_max = 2;
    options.wait_max = std::chrono::minutes(1);
    options.cost = {.memory_kib = 64 * 1024, .passes = 4, .lanes = 1};  // so that the calls overlap
    const Passwords passwords(options);
    const auto hash = [&]() -> Task<bool> {
      try {
        static_cast<void>(co_await passwords.hash("secret"));
        co_return true;
      } catch (const Problem& problem) {
        CHECK(problem.status() == Status::service_unavailable);
        co_return false;
      }
    };
    const auto [a, b, c, d, e, f] = co_await all(hash, hash, hash, hash, hash, hash);
    const int done = a + b + c + d + e + f;
    CHECK(done >= 3);
    CHECK(done < 6);
    const bool later = co_await hash();
    CHECK(later);
  });
}

TEST_CASE("options out of range are rejected") {
  PasswordOptions none = cheap();
  none.concurrent_max = 0;
  CHECK_THROWS_AS(Passwords{none}, std::invalid_argument);
  PasswordOptions free = cheap();
  free.cost.passes = 0;
  CHECK_THROWS_AS(Passwords{free}, std::invalid_argument);
}

TEST_SUITE_END();

}  // namespace volt::http
