// SPDX-License-Identifier: MIT

#include "http/cookies/internal/sealed_value.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "crypto/base64.h"

namespace volt::http::cookies {
namespace {

using namespace std::chrono_literals;
using crypto::SecretKey;
using Time = ValueSealer::Time;

constexpr Time kNow{1'700'000'000s};

// The two ways of sealing, which have the same properties.
struct Way {
  std::string why;
  std::string (ValueSealer::*seal)(std::string_view, std::string_view, Time) const;
  std::expected<std::string, SealError> (ValueSealer::*open)(std::string_view, std::string_view, Time) const;
};
const Way kWays[] = {{"signed", &ValueSealer::sign, &ValueSealer::verify},
                     {"encrypted", &ValueSealer::encrypt, &ValueSealer::decrypt}};

ValueSealer sealer_of(const std::vector<SecretKey>& keys) { return ValueSealer(keys); }

}  // namespace

TEST_SUITE_BEGIN("http/cookies/internal/sealed_value");

TEST_CASE("a sealed value opens until it expires, under its name") {
  const ValueSealer sealer = sealer_of({crypto::random_key()});
  for (const auto& [why, seal, open] : kWays) {
    CAPTURE(why);
    for (const std::string& value : {std::string(), std::string("42"), std::string("{\"user\":\"\0\xff\"}", 13)}) {
      const std::string text = (sealer.*seal)("user", value, kNow + 60s);
      CHECK((sealer.*open)("user", text, kNow) == value);
      CHECK((sealer.*open)("user", text, kNow + 59s) == value);
      CHECK((sealer.*open)("user", text, kNow + 60s) == std::unexpected(SealError::expired));
      CHECK((sealer.*open)("admin", text, kNow) == std::unexpected(SealError::forged));
      CHECK((sealer.*open)("use", text, kNow) == std::unexpected(SealError::forged));
      CHECK((sealer.*open)("", text, kNow) == std::unexpected(SealError::forged));
    }
  }
}

TEST_CASE("the text fits into a cookie (RFC 6265 section 4.1.1), and only encryption hides the value") {
  const ValueSealer sealer = sealer_of({crypto::random_key()});
  for (const auto& [why, seal, open] : kWays) {
    CAPTURE(why);
    const std::string text = (sealer.*seal)("user", "a value that can be recognised", kNow);
    CHECK(text.find_first_of(" \",;\\=") == std::string::npos);
    const auto bytes = crypto::base64url_decode(text).value();
    const std::string_view raw(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    CHECK((raw.find("recognised") == std::string_view::npos) == (why == "encrypted"));
  }
  CHECK(sealer.encrypt("user", "1", kNow) != sealer.encrypt("user", "1", kNow));
}

TEST_CASE("a value with an altered, missing or added byte is rejected") {
  const ValueSealer sealer = sealer_of({crypto::random_key()});
  for (const auto& [why, seal, open] : kWays) {
    CAPTURE(why);
    const std::string text = (sealer.*seal)("user", "42", kNow + 60s);
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string altered = text;
      altered[i] = altered[i] == 'A' ? 'B' : 'A';
      CHECK_FALSE((sealer.*open)("user", altered, kNow));
      CHECK_FALSE((sealer.*open)("user", text.substr(0, i), kNow));
    }
    CHECK_FALSE((sealer.*open)("user", text + "AAAA", kNow));
    CHECK_FALSE((sealer.*open)("user", "AAAA" + text, kNow));
  }
}

TEST_CASE("keys rotate: the first key seals, all keys open") {
  const SecretKey old_key = crypto::random_key();
  const SecretKey new_key = crypto::random_key();
  const ValueSealer before = sealer_of({old_key});
  const ValueSealer during = sealer_of({new_key, old_key});
  const ValueSealer after = sealer_of({new_key});
  for (const auto& [why, seal, open] : kWays) {
    CAPTURE(why);
    const std::string old_text = (before.*seal)("user", "42", kNow + 60s);
    CHECK((during.*open)("user", old_text, kNow) == "42");
    CHECK((after.*open)("user", old_text, kNow) == std::unexpected(SealError::forged));
    const std::string new_text = (during.*seal)("user", "42", kNow + 60s);
    CHECK((after.*open)("user", new_text, kNow) == "42");
    CHECK((before.*open)("user", new_text, kNow) == std::unexpected(SealError::forged));
  }
}

TEST_CASE("a signed value does not decrypt, and an encrypted value does not verify") {
  const ValueSealer sealer = sealer_of({crypto::random_key()});
  const std::string value(100, 'x');
  CHECK(sealer.decrypt("a", sealer.sign("a", value, kNow + 1s), kNow) == std::unexpected(SealError::forged));
  CHECK(sealer.verify("a", sealer.encrypt("a", value, kNow + 1s), kNow) == std::unexpected(SealError::forged));
}

TEST_CASE("bytes cannot be moved between a name and a value") {
  const ValueSealer sealer = sealer_of({crypto::random_key()});
  const auto text = sealer.sign("ab", "c", kNow + 1s);
  auto bytes = crypto::base64url_decode(text).value();
  CHECK_FALSE(sealer.verify("a", crypto::base64url_encode(bytes), kNow));
  CHECK_FALSE(sealer.verify("abc", text, kNow));
}

TEST_CASE("text that was not sealed is malformed or forged") {
  const ValueSealer sealer = sealer_of({crypto::random_key()});
  const struct {
    std::string why, text;
    SealError want;
  } cases[] = {
      {"empty", "", SealError::malformed},
      {"not base64url", std::string(200, '*'), SealError::malformed},
      {"padded", std::string(198, 'A') + "==", SealError::malformed},
      {"too short", "AAAA", SealError::malformed},
      {"zeros", std::string(200, 'A'), SealError::forged},
      {"the longest text", std::string(kSealedBytesMax, 'A'), SealError::forged},
      {"a text that is too long", std::string(kSealedBytesMax + 4, 'A'), SealError::malformed},
  };
  for (const auto& [why, text, want] : cases) {
    CAPTURE(why);
    for (const Way& way : kWays) CHECK((sealer.*way.open)("user", text, kNow) == std::unexpected(want));
  }
}

TEST_SUITE_END();
}  // namespace volt::http::cookies
