// SPDX-License-Identifier: MIT

#include "apps/board/board.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/board/outages.h"
#include "crypto/base64.h"
#include "crypto/digest.h"
#include "http/testing/test_client.h"
#include "tests/apps/on_test_engine.h"

namespace board {
namespace {

namespace http = volt::http;
namespace pg = volt::pg;
namespace redis = volt::redis;
using namespace std::chrono_literals;
using test::on_test_engine;

constexpr std::string_view kPassword = "correct horse battery";
constexpr const char* kNoServer = "unix:///nonexistent/socket";

// Decorates the cases that need the servers of tests/support/private_postgres.py and private_redis.py.
const bool kNoServers = std::getenv("DATABASE_URL") == nullptr || std::getenv("REDIS_URL") == nullptr;

struct Credentials {
  std::string name;
  std::string password;
};

struct NewPost {
  std::string text;
  std::optional<std::string> upload;
};

struct Profile {
  std::int64_t id;
  std::string name;
  std::int64_t posts;
  std::int64_t words;
};

// A name that no earlier run has used in the database.
std::string named(std::string_view name) { return std::string(name) + "-" + std::to_string(::getpid()); }

redis::PoolOptions redis_of_tests() {
  redis::PoolOptions options = redis::options_from_environment();
  options.connect_timeout = options.acquire_timeout = 60s;  // a machine under load
  return options;
}

Options quick_options() {
  Options options{.keys = http::CookieKeys({"0123456789abcdef0123456789abcdef"}), .secure = false};
  options.passwords.cost = {.memory_kib = 64, .passes = 1, .lanes = 1};
  options.login_burst = 1000;
  return options;
}

// Reads events until one contains the text. Earlier ones are of jobs that other tests have left.
bool receives(http::TestStream& stream, std::string_view text) {
  for (;;) {
    const auto event = stream.read_event();
    if (!event) return false;
    if (event->data.contains(text)) return true;
  }
}

// One replica, and one browser that uses it. All replicas have the same servers.
class Replica {
 public:
  explicit Replica(redis::PoolOptions redis = redis_of_tests())
      : client_(make_app(pg::Pool(pg::options_from_environment()), redis::Pool(std::move(redis)), quick_options()),
                on_test_engine()) {}

  http::TestResponse get(std::string_view path) { return as_browser(client_.get(path)).send(); }
  http::TestResponse log_in(const std::string& name, std::string_view password = kPassword) {
    http::TestResponse response = post("/session", Credentials{name, std::string(password)});
    for (const http::TestField& field : response.headers()) {
      if (field.name == "Set-Cookie") cookie_ = field.value.substr(0, field.value.find(';'));
    }
    return response;
  }
  http::TestResponse log_out() { return as_browser(client_.del("/session")).send(); }
  // Signs up and logs in. Returns the path of the member.
  std::string join(const std::string& name) {
    const http::TestResponse added = post("/members", Credentials{name, std::string(kPassword)});
    REQUIRE(added.status() == 201);
    REQUIRE(log_in(name).status() == 200);
    return std::string(added.header("location").value());
  }
  http::TestResponse write(std::string_view key, const NewPost& post) {
    return as_browser(client_.post("/posts")).header("Idempotency-Key", key).json(post).send();
  }
  http::TestResponse upload(std::string_view digest, std::string content) {
    return as_browser(client_.put("/uploads/" + std::string(digest))).body(std::move(content), "text/plain").send();
  }
  void use_login_of(const Replica& other) { cookie_ = other.cookie_; }
  http::TestClient& client() noexcept { return client_; }
  http::TestRequest as_browser(http::TestRequest request) {
    request.header("Sec-Fetch-Site", "same-origin");
    if (!cookie_.empty()) request.header("Cookie", cookie_);
    return request;
  }

 private:
  template <class T>
  http::TestResponse post(std::string_view path, const T& value) {
    return as_browser(client_.post(path)).json(value).send();
  }

  http::TestClient client_;
  std::string cookie_;
};

}  // namespace

TEST_SUITE_BEGIN("apps/board");

TEST_CASE("a login on one replica counts on the others, and so does the logout" * doctest::skip(kNoServers)) {
  Replica one;
  Replica two;
  const std::string ann = named("login");
  one.join(ann);
  CHECK(two.get("/session").status() == 401);
  two.use_login_of(one);
  CHECK(two.get("/session").body() == one.get("/session").body());
  CHECK(two.get("/session").body().contains(ann));
  CHECK(one.log_out().status() == 204);
  CHECK(two.get("/session").status() == 401);
  CHECK(one.log_in(ann, "wrong horse battery").status() == 401);
  CHECK(one.log_in(named("unknown"), "wrong horse battery").status() == 401);
}

TEST_CASE("a request that is repeated with its key, on any replica, writes one post" * doctest::skip(kNoServers)) {
  Replica one;
  Replica two;
  one.join(named("key"));
  two.use_login_of(one);
  const http::TestResponse first = one.write("a", {.text = "hello"});
  const http::TestResponse repeated = two.write("a", {.text = "hello"});
  CHECK(first.status() == 201);
  CHECK(repeated.status() == 201);
  CHECK(repeated.body() == first.body());
  CHECK(two.get(first.header("location").value()).body() == first.body());
  CHECK(two.write("a", {.text = "other"}).status() == 422);
  CHECK(two.write("b", {.text = "hello"}).header("location") != first.header("location"));
  two.join(named("other-key"));
  CHECK(two.write("a", {.text = "hello"}).header("location") != first.header("location"));
}

TEST_CASE("a post without a login, a key or a text that can be stored is refused" * doctest::skip(kNoServers)) {
  Replica replica;
  CHECK(replica.write("a", {.text = "hello"}).status() == 401);
  replica.join(named("refused"));
  CHECK(replica.write("", {.text = "hello"}).status() == 400);
  CHECK(replica.write("a b", {.text = "hello"}).status() == 400);
  CHECK(replica.write("a", {.text = ""}).status() == 422);
  CHECK(replica.write("a", {.text = std::string("\0", 1)}).status() == 422);
  CHECK(replica.write("a", {.text = "hello", .upload = std::string(43, 'x')}).status() == 422);
}

TEST_CASE("a post is counted once, and reaches subscribers of other replicas" * doctest::skip(kNoServers)) {
  Replica one;
  Replica two;
  const std::string member = one.join(named("live"));
  auto stream = two.client().get("/live").open();
  const std::string text = named("two words");
  CHECK(one.write("a", {.text = text}).status() == 201);
  CHECK(one.write("a", {.text = text}).status() == 201);
  one.client().clock().advance(100ms);  // the pause of the queue
  CHECK(receives(stream, text));
  const Profile profile = two.get(member).json<Profile>();
  CHECK(profile.posts == 1);
  CHECK(profile.words == 2);
}

TEST_CASE("the list on all replicas has a post as soon as it is written" * doctest::skip(kNoServers)) {
  Replica one;
  Replica two;
  one.join(named("list"));
  CHECK(two.get("/posts").status() == 200);  // kept for all replicas
  const std::string id = std::string(one.write("a", {.text = "fresh"}).header("location").value()).substr(7);
  CHECK(two.get("/posts").body().starts_with(R"([{"id":)" + id + ","));
  CHECK_FALSE(two.get("/posts?before=" + id).body().contains(R"("id":)" + id + ","));
}

TEST_CASE("an upload is stored under the digest of its content" * doctest::skip(kNoServers)) {
  Replica one;
  Replica two;
  const std::string content = "content of " + named("upload");
  const std::string digest = volt::crypto::base64url_encode(volt::crypto::sha256(content));
  CHECK(one.upload(digest, content).status() == 401);
  one.join(named("upload"));
  CHECK(one.upload(digest, "other content").status() == 422);
  CHECK(two.get("/uploads/" + digest).status() == 404);
  CHECK(one.upload(digest, content).status() == 201);
  CHECK(one.upload(digest, content).status() == 204);
  CHECK(one.write("a", {.text = "see", .upload = digest}).status() == 201);
  const http::TestResponse loaded = two.get("/uploads/" + digest);
  CHECK(loaded.body() == content);
  CHECK(loaded.header("content-type") == "text/plain");
  CHECK(loaded.header("content-disposition") == "attachment");
}

TEST_CASE("without Redis a replica is ready and can be read, and members get 503" * doctest::skip(kNoServers)) {
  Replica member;
  member.join(named("outage"));
  redis::PoolOptions away;
  away.url = kNoServer;
  Replica replica(away);
  replica.use_login_of(member);
  CHECK(replica.client().not_ready().empty());
  auto list = replica.as_browser(replica.client().get("/posts")).start();
  replica.client().clock().advance(200ms);  // the time that the cache waits for Redis
  CHECK(list.wait().status() == 200);
  auto own = replica.as_browser(replica.client().get("/session")).start();
  replica.client().clock().advance(2s);  // the time that the pool waits for Redis
  const http::TestResponse refused = own.wait();
  CHECK(refused.status() == 503);
  CHECK(refused.header("retry-after") == "1");
}

TEST_CASE("without PostgreSQL a replica is not ready, and answers 503") {
  const pg::Pool db({.url = "host=/nonexistent"});
  http::App app;
  add_readiness(app, db);
  answer_outages(app);
  app.state(db);
  app.get("/", [](http::State<pg::Pool> db) { return db->find<std::string>("select 'x'"); });
  http::TestClient client(std::move(app), on_test_engine());
  CHECK(client.not_ready() == std::vector<std::string>{"postgresql"});
  const http::TestResponse refused = client.get("/").send();
  CHECK(refused.status() == 503);
  CHECK(refused.header("retry-after") == "1");
}

TEST_SUITE_END();

}  // namespace board
