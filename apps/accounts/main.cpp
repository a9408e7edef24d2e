// SPDX-License-Identifier: MIT

// accounts: users with passwords or a login by OpenID Connect; ACCOUNTS_DB names the SQLite file.
#include <config/program.h>
#include <config/tls/tls.h>
#include <http/client/client.h>
#include <http/middleware/compress.h>
#include <http/middleware/observe.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/accounts/accounts.h"

namespace {

namespace http = volt::http;

struct Settings {
  std::string db = ":memory:";
  volt::Secret cookie_secret;
  std::string admin = "admin";
  volt::Secret admin_password;
  bool plain_http = false;
  std::string oidc_issuer;
  std::string oidc_client_id;
  volt::Secret oidc_client_secret;
  std::string url = "https://localhost:8443";

  static constexpr volt::Described descriptions[] = {
      {"db", "File of the SQLite database; \":memory:\": none"},
      {"cookie_secret",
       "Secret of at least 32 bytes that encrypts cookies; empty: a random one, users are logged out by "
       "a restart"},
      {"admin", "Name of the first admin"},
      {"admin_password", "Password of the first admin; empty: no admin is added"},
      {"plain_http", "Permits cookies and the OpenID provider without TLS; for development only"},
      {"oidc_issuer", "Issuer of an OpenID provider; empty: no login by OpenID Connect"},
      {"oidc_client_id", "Client ID that is registered at the provider"},
      {"oidc_client_secret", "Client secret that is registered at the provider; empty: a public client"},
      {"url", "URL of this service, for the redirect URI URL/login/callback"},
  };
};

http::CookieKeys keys_of(const Settings& settings) {
  if (settings.cookie_secret.empty()) return http::CookieKeys::random();
  return http::CookieKeys({settings.cookie_secret.reveal()});
}

std::optional<http::OidcClient> oidc_of(const Settings& settings, const http::CookieKeys& keys) {
  if (settings.oidc_issuer.empty()) return std::nullopt;
  auto client = std::make_shared<http::HttpClient>(http::ClientOptions{.tls = volt::tls::client_transport()});
  return http::OidcClient(std::move(client), {.issuer = settings.oidc_issuer,
                                              .client_id = settings.oidc_client_id,
                                              .client_secret = settings.oidc_client_secret.reveal(),
                                              .redirect_uri = settings.url + "/login/callback",
                                              .keys = keys,
                                              .cookie = settings.plain_http ? "oidc" : "__Host-oidc",
                                              .secure = !settings.plain_http,
                                              .allow_http = settings.plain_http});
}

http::App make_app(const Settings& settings) {
  http::CookieKeys keys = keys_of(settings);
  std::optional<http::OidcClient> oidc = oidc_of(settings, keys);
  http::App app = accounts::make_app(accounts::Store(settings.db), {.keys = std::move(keys),
                                                                    .oidc = std::move(oidc),
                                                                    .admin = settings.admin,
                                                                    .admin_password = settings.admin_password.reveal(),
                                                                    .secure = !settings.plain_http});
  app.use(http::request_id(), http::access_log(), http::compress());
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  volt::Program program({.name = "accounts", .description = "Accounts with sessions, roles and OpenID Connect."});
  const auto settings = program.settings<Settings>("accounts");
  return program.run([&] { return make_app(*settings); }, argc, argv);
}
