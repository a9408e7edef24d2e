// SPDX-License-Identifier: MIT

// RemoteKeys against an identity provider on a loopback port. The clock of RemoteKeys is a manual one.
#include "http/jwks/remote_keys.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "http/jwks/internal/freshness.h"
#include "http/jwks/key_set.h"
#include "http/server/app.h"
#include "http/web/extract.h"
#include "runtime/concurrent.h"
#include "tests/http/message/fields_of.h"
#include "tests/support/in_process_app.h"
#include "tests/support/manual_clock_runtime.h"
#include "tests/support/served_app.h"
#include "tests/support/waiting.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using auth::JwtAlgorithm;
using auth::JwtSigningKey;

JwtSigningKey new_key(const std::string& id) { return JwtSigningKey::generate(JwtAlgorithm::eddsa, id); }

struct Claims {
  std::string sub;
};

// The answers of the provider, and the number of questions.
struct Script {
  // The test signs with the time of the system, and the service verifies by its own clock, which is advanced.
  JwtSigner signer{new_key("1"), {.issuer = "https://id.example", .lifetime = std::chrono::hours(24)}};
  std::mutex mutex;
  bool fails = false;                                 // under mutex
  std::string body;                                   // under mutex; empty: the keys of `signer`
  std::string cache_control = "public, max-age=600";  // under mutex
  int asked = 0;                                      // under mutex

  Response answer() {
    const std::scoped_lock lock(mutex);
    ++asked;
    if (fails) return Response::plain(Status::internal_server_error);
    const Response published = PublishKeys(std::shared_ptr<const JwtSigner>(&signer, [](const JwtSigner*) {}), 5min)();
    Response response = Response::json(body.empty() ? std::string(published.body()) : body);
    response.header("Cache-Control", cache_control);
    return response;
  }
  int count() {
    const std::scoped_lock lock(mutex);
    return asked;
  }
  template <class T>
  void set(T Script::* member, std::type_identity_t<T> value) {
    const std::scoped_lock lock(mutex);
    this->*member = std::move(value);
  }
};

App provider(const std::shared_ptr<Script>& script) {
  App app;
  app.get("/jwks", [script] { return script->answer(); });
  return app;
}

struct Provider {
  std::shared_ptr<Script> script = std::make_shared<Script>();
  test::ServedApp served{provider(script)};

  [[nodiscard]] std::string uri() const { return "http://" + served.address().to_string() + "/jwks"; }
  [[nodiscard]] std::string token() const { return script->signer.sign(Claims{"ann"}); }
};

std::string name_of(const std::expected<JwtClaims, JwtError>& claims) {
  if (claims) return claims->subject;
  if (claims.error() == JwtError::no_keys) return "no_keys";
  return claims.error() == JwtError::unknown_key ? "unknown_key" : "another error";
}

// A service that trusts the provider.
struct Service {
  explicit Service(const Provider& provider, RemoteKeysOptions options = {})
      : keys(client, provider.uri(), {.issuer = "https://id.example"}, options) {}

  std::string verify(const std::string& token) {
    return name_of(clock.runtime.block_on([&] { return keys.verify(token); }));
  }
  void pass(std::chrono::seconds time) { clock.runtime.advance_clock(time); }

  test::ManualClockRuntime clock;
  std::shared_ptr<HttpClient> client = std::make_shared<HttpClient>();
  RemoteKeys keys;
};

}  // namespace

TEST_SUITE_BEGIN("http/jwks/remote_keys");

TEST_CASE("the first token fetches the set, and later ones use it until it is about to end") {
  const Provider provider;
  Service service(provider);
  for (int i = 0; i < 3; ++i) CHECK(service.verify(provider.token()) == "ann");
  CHECK(provider.script->count() == 1);
  service.pass(530s);
  CHECK(service.verify(provider.token()) == "ann");
  CHECK(provider.script->count() == 1);
  service.pass(20s);  // 50 s before the end: in the background
  CHECK(service.verify(provider.token()) == "ann");
  CHECK(test::eventually([&] { return provider.script->count() == 2; }));
}

TEST_CASE("after a rotation, a token with an unknown kid fetches the set once in the interval") {
  const Provider provider;
  Service service(provider);
  CHECK(service.verify(provider.token()) == "ann");
  provider.script->signer.rotate(new_key("2"));
  CHECK(service.verify(provider.token()) == "unknown_key");  // 0 s after the first fetch
  service.pass(31s);
  CHECK(service.verify(provider.token()) == "ann");
  CHECK(provider.script->count() == 2);

  const JwtSigner stranger(new_key("3"), {.issuer = "https://id.example"});
  for (int i = 0; i < 3; ++i) CHECK(service.verify(stranger.sign(Claims{"eve"})) == "unknown_key");
  CHECK(provider.script->count() == 2);
  service.pass(31s);
  for (int i = 0; i < 3; ++i) CHECK(service.verify(stranger.sign(Claims{"eve"})) == "unknown_key");
  CHECK(provider.script->count() == 3);
  CHECK(service.verify(provider.token()) == "ann");
}

TEST_CASE("tokens that come together wait for one fetch") {
  const Provider provider;
  Service service(provider);
  const std::string token = provider.token();
  const auto verify = [&]() -> Task<std::string> {
    std::string copy = token;
    const auto claims = co_await service.keys.verify(std::move(copy));
    co_return name_of(claims);
  };
  const auto [a, b, c] = service.clock.runtime.block_on([&] { return all(verify, verify, verify); });
  CHECK(a == "ann");
  CHECK(b == "ann");
  CHECK(c == "ann");
  CHECK(provider.script->count() == 1);
}

TEST_CASE("while fetches fail, the old keys are used within a bound") {
  const Provider provider;
  Service service(provider, {.stale_max = 100s});
  CHECK(service.verify(provider.token()) == "ann");
  const std::string cases[] = {"", "not JSON", R"({"keys":[]})"};
  for (const std::string& body : cases) {
    CAPTURE(body);
    provider.script->set(&Script::fails, body.empty());
    provider.script->set(&Script::body, body);
    const int before = provider.script->count();
    service.pass(601s);
    CHECK(service.verify(provider.token()) == "ann");
    CHECK(service.verify(provider.token()) == "ann");  // no second fetch in the interval
    CHECK(provider.script->count() == before + 1);
    service.pass(101s);
    CHECK(service.verify(provider.token()) == "no_keys");

    provider.script->set(&Script::fails, false);
    provider.script->set(&Script::body, "");
    service.pass(31s);
    CHECK(service.verify(provider.token()) == "ann");
  }
}

TEST_CASE("no-store and short lifetimes are bounded below, and long ones above") {
  const Provider provider;
  provider.script->set(&Script::cache_control, "no-store");
  Service service(provider, {.lifetime_min = 100s, .lifetime_max = 1000s, .refresh_ahead = 0s});
  CHECK(service.verify(provider.token()) == "ann");
  service.pass(99s);
  CHECK(service.verify(provider.token()) == "ann");
  CHECK(provider.script->count() == 1);
  provider.script->set(&Script::cache_control, "max-age=99999999999999999999");
  service.pass(2s);
  CHECK(service.verify(provider.token()) == "ann");
  CHECK(provider.script->count() == 2);
  service.pass(1001s);
  CHECK(service.verify(provider.token()) == "ann");
  CHECK(provider.script->count() == 3);
}

TEST_CASE("the middleware refuses tokens with 401, and responds with 503 if there are no keys") {
  const Provider provider;
  const auto app = [](const std::string& uri) {
    App made;
    made.use(jwt_auth(RemoteKeys(std::make_shared<HttpClient>(), uri, {.issuer = "https://id.example"})));
    made.get("/", [](From<JwtClaims> claims) { return claims->subject; });
    return made;
  };
  test::InProcessApp asked(app(provider.uri()));
  const auto status = [](test::InProcessApp& one, const std::string& value) {
    return code(one.get("/", {{"Authorization", value}}).status());
  };
  CHECK(status(asked, "Bearer " + provider.token()) == 200);
  CHECK(status(asked, "Bearer " + provider.token() + "A") == 401);
  CHECK(status(asked, "Basic QTpC") == 401);
  test::InProcessApp lost(app(provider.uri() + "/gone"));
  CHECK(status(lost, "Bearer " + provider.token()) == 503);
}

TEST_CASE("options that exclude each other are refused") {
  const auto client = std::make_shared<HttpClient>();
  CHECK_THROWS_AS(RemoteKeys(nullptr, "http://a/", {}), std::invalid_argument);
  CHECK_THROWS_AS(RemoteKeys(client, "http://a/", {}, {.set = {.secrets = true}}), std::invalid_argument);
  CHECK_THROWS_AS(RemoteKeys(client, "http://a/", {}, {.lifetime_min = 0s}), std::invalid_argument);
  CHECK_THROWS_AS(RemoteKeys(client, "http://a/", {}, {.lifetime_max = 10s}), std::invalid_argument);
}

TEST_CASE("the lifetime of a response is max-age less Age") {
  const struct {
    FieldsOf fields;
    int want;  // -1: none
  } cases[] = {
      {{}, -1},
      {{{"Cache-Control", "public"}}, -1},
      {{{"Cache-Control", "max-age=60"}}, 60},
      {{{"Cache-Control", "public , Max-Age=60,must-revalidate"}}, 60},
      {{{"Cache-Control", "max-age=60"}, {"Age", "20"}}, 40},
      {{{"Cache-Control", "max-age=60"}, {"Age", "90"}}, 0},
      {{{"Cache-Control", "max-age=60"}, {"Age", "x"}}, 60},
      {{{"Cache-Control", "max-age=60, no-store"}}, 0},
      {{{"Cache-Control", "No-Cache"}}, 0},
      {{{"Cache-Control", "max-age=-1"}}, 0},
      {{{"Cache-Control", "max-age="}}, 0},
      {{{"Cache-Control", "max-age=6o"}}, 0},
      {{{"Cache-Control", "xmax-age=60"}}, -1},
  };
  for (const auto& [fields, want] : cases) {
    const auto found = jwks::freshness_of(fields.view());
    CHECK((found ? found->count() : -1) == want);
  }
}

TEST_SUITE_END();
}  // namespace volt::http
