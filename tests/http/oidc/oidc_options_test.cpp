// SPDX-License-Identifier: MIT

#include "http/oidc/oidc_options.h"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <utility>

#include "http/oidc/oidc_client.h"

namespace volt::http {
using namespace std::chrono_literals;

TEST_SUITE_BEGIN("http/oidc/oidc_options");

TEST_CASE("options that are missing or exclude each other are refused") {
  const auto made = [](auto change) {
    OidcOptions options{.issuer = "https://id.example",
                        .client_id = "shop",
                        .redirect_uri = "https://shop.example/callback",
                        .keys = CookieKeys::random()};
    change(options);
    return OidcClient(std::make_shared<HttpClient>(), std::move(options));
  };
  CHECK_NOTHROW(made([](OidcOptions&) {}));
  using Change = void (*)(OidcOptions&);
  const Change cases[] = {
      [](OidcOptions& options) { options.issuer = "http://id.example"; },
      [](OidcOptions& options) { options.issuer = "https://id.example?a"; },
      [](OidcOptions& options) { options.redirect_uri = "/callback"; },
      [](OidcOptions& options) { options.client_id = ""; },
      [](OidcOptions& options) { options.scopes = {"email"}; },
      [](OidcOptions& options) { options.client_auth = OidcClientAuth::basic; },
      [](OidcOptions& options) {
        options.client_auth = OidcClientAuth::none;
        options.client_secret = "secret";
      },
      [](OidcOptions& options) { options.algorithms = {auth::JwtAlgorithm::hs256}; },
      [](OidcOptions& options) { options.algorithms = {}; },
      [](OidcOptions& options) { options.login_time = 0s; },
      [](OidcOptions& options) { options.secure = false; },  // with "__Host-"
  };
  for (const Change change : cases) CHECK_THROWS_AS(made(change), std::invalid_argument);
  CHECK_THROWS_AS(OidcClient(nullptr, {.keys = CookieKeys::random()}), std::invalid_argument);
}

TEST_SUITE_END();
}  // namespace volt::http
