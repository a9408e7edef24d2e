// SPDX-License-Identifier: MIT

#include "http/testing/test_client.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "http/http.h"
#include "runtime/concurrent.h"
#include "runtime/time.h"
#include "tests/support/engine.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;

TestClientOptions on_test_engine(ServerOptions server = {}) { return {.server = server, .io = test_options().io}; }

struct Item {
  std::int64_t id;
  std::string name;
  int price;
};
struct NewItem {
  std::string name;
  int price;
};

class Db {
 public:
  using Shareable = void;

  static Db memory() { return {}; }

  Task<Item> insert(NewItem item) {
    const std::scoped_lock lock(store_->mutex);
    const std::int64_t id = ++store_->last_id;
    co_return store_->items[id] = {.id = id, .name = std::move(item.name), .price = item.price};
  }
  Task<std::optional<Item>> find(std::int64_t id) const {
    const std::scoped_lock lock(store_->mutex);
    const auto found = store_->items.find(id);
    co_return found == store_->items.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  struct Store {
    std::mutex mutex;
    std::int64_t last_id = 0;
    std::map<std::int64_t, Item> items;
  };
  std::shared_ptr<Store> store_ = std::make_shared<Store>();
};

Task<Created<Item>> add(Json<NewItem> in, State<Db> db) { co_return co_await db->insert(std::move(*in)); }

Task<std::optional<Item>> show(Path<std::int64_t> id, State<Db> db) { co_return co_await db->find(*id); }

Task<Response> require_token(Request& request, Next next) {
  if (!request.bearer()) throw unauthorized();
  co_return co_await next(request);
}

App make_app(Db db) {
  App app;
  app.state(std::move(db));
  auto api = app.group("/api/v1");
  api.use(require_token);
  api.post("/items", add);
  api.get("/items/{id}", show);
  return app;
}

// Returns an app whose handlers return parts of the request.
App echo_app() {
  App app;
  app.get("/", [] { return "hello"; });
  app.post("/echo", [](Request& request) { return std::string(request.body()); });
  app.get("/target", [](Request& request) { return std::string(request.target()); });
  app.get("/header", [](Header<"x-a"> value) { return *value; });
  app.get("/cookies", [](Request& request) { return std::string(request.header("cookie").value_or("none")); });
  app.get("/sleep", [](Request&) -> Task<std::string> {
    co_await sleep_for(3s);
    co_return "awake";
  });
  return app;
}

std::string of_size(std::size_t bytes) {
  std::string text(bytes, 'a');
  for (std::size_t i = 0; i < bytes; i += 997) text[i] = static_cast<char>('b' + i % 23);
  return text;
}

}  // namespace

TEST_SUITE_BEGIN("http/testing/test_client");

TEST_CASE("items can be created and read, and missing ones are a 404") {
  http::TestClient client(make_app(Db::memory()), on_test_engine());
  auto made = client.post("/api/v1/items").bearer("t").json(NewItem{"pen", 3}).send();
  REQUIRE(made.status() == 201);
  CHECK(made.header("Location") == "/api/v1/items/1");
  CHECK(made.json<Item>().name == "pen");
  auto read = client.get(*made.header("Location")).bearer("t").send();
  CHECK(read.status() == Status::ok);
  CHECK(read.json<Item>().price == 3);
  CHECK(client.get("/api/v1/items/999").bearer("t").send().status() == 404);
  CHECK(client.get("/api/v1/items/1").send().status() == 401);
  client.clock().advance(3s);
}

TEST_CASE("the server receives the request as it was composed") {
  TestClient client(echo_app(), on_test_engine());
  CHECK(client.get("/target?a=b").query("c d", "e&f").query("n", 7).send().body() == "/target?a=b&c%20d=e%26f&n=7");
  CHECK(client.get("/header").header("X-A", "b").send().body() == "b");
  CHECK(client.get("/cookies").cookie("a", "1").cookie("b", "2").send().body() == "a=1; b=2");
  CHECK(client.post("/echo").body("some text").send().body() == "some text");
  CHECK(client.post("/echo").form({{"a b", "c&d"}, {"e", ""}}).send().body() == "a%20b=c%26d&e=");
  CHECK(client.post("/echo").send().body().empty());
  CHECK(client.request(Method::put, "/").send().status() == 405);
  CHECK(client.del("/none").send().status() == 404);
  CHECK(client.options("/").send().header("allow").has_value());
}

TEST_CASE("a request is a value that can be sent again") {
  TestClient client(echo_app(), on_test_engine());
  const TestRequest request = client.post("/echo").body("again");
  CHECK(request.send().body() == "again");
  CHECK(request.send().body() == "again");
}

TEST_CASE("invalid fields and paths are refused, and a body that is not JSON fails the test") {
  TestClient client(echo_app(), on_test_engine());
  CHECK_THROWS_AS(client.get("/").header("A", "b\r\nC: d"), std::invalid_argument);
  CHECK_THROWS_AS(client.get("/").header("A b", "c"), std::invalid_argument);
  CHECK_THROWS_AS(client.get("/a b"), std::invalid_argument);
  CHECK_THROWS_AS(client.get(""), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(client.get("/").send().json<Item>()), TestFailure);
}

TEST_CASE("consecutive requests share a connection, concurrent ones do not") {
  TestClient client(echo_app(), on_test_engine());
  for (int i = 0; i < 3; ++i) CHECK(client.get("/").send().body() == "hello");
  CHECK(client.server().connection_count() == 1);

  auto first = client.get("/sleep").start();
  auto second = client.get("/sleep").start();
  CHECK(client.server().connection_count() == 2);
  client.clock().advance(3s);
  CHECK(second.wait().body() == "awake");
  CHECK(first.wait().body() == "awake");
  CHECK(client.get("/").send().body() == "hello");
  CHECK(client.server().connection_count() == 2);
}

TEST_CASE("after Connection: close or HTTP/1.0 the next request uses a new connection") {
  TestClient client(echo_app(), on_test_engine());
  const TestResponse closing = client.get("/").close().send();
  CHECK(closing.closes());
  CHECK(closing.header("connection") == "close");
  client.clock().settle();
  CHECK(client.server().connection_count() == 0);
  CHECK(client.get("/").version_1_0().send().closes());
  CHECK_FALSE(client.get("/").version_1_0().header("Connection", "keep-alive").send().closes());
  CHECK_FALSE(client.get("/").send().closes());
}

TEST_CASE("time passes only when the clock is advanced") {
  TestClient client(echo_app(), on_test_engine());
  auto slow = client.get("/sleep").start();
  CHECK_FALSE(slow.done());
  client.clock().advance(2999ms);
  CHECK_FALSE(slow.done());
  client.clock().advance(1ms);
  CHECK(slow.done());
  CHECK(slow.wait().body() == "awake");
}

TEST_CASE("within() times out at its deadline") {
  App app;
  app.get("/slow", [](Request&) -> Task<Response> {
    auto sleep = []() -> Task<> { co_await sleep_for(10s); };
    const Result<void> slept = co_await within(2s, sleep);
    if (!slept) throw unavailable("too slow");
    co_return Response();
  });
  TestClient client(std::move(app), on_test_engine());
  auto slow = client.get("/slow").start();
  client.clock().advance(3s);
  CHECK(slow.wait().status() == Status::service_unavailable);
}

TEST_CASE("a head that takes too long is a 408; an idle connection is closed") {
  TestClient client(echo_app(), on_test_engine({.head_timeout = 5s, .idle_timeout = 30s}));
  auto connection = client.raw();
  connection.send("GET / HTTP/1.1\r\nHost: a\r\n");
  client.clock().advance(4s);
  CHECK(connection.quiet());
  client.clock().advance(1s);
  const TestResponse late = connection.read_response();
  CHECK(late.status() == 408);
  CHECK(late.closes());
  CHECK(connection.ended());

  CHECK(client.get("/").send().status() == 200);
  auto idle = client.raw();
  client.clock().advance(29s);
  CHECK(idle.quiet());
  client.clock().advance(1s);
  CHECK(idle.ended());
  CHECK(client.get("/").send().status() == 200);  // uses a new connection
}

TEST_CASE("a body that stalls is a 408") {
  TestClient client(echo_app(), on_test_engine({.stall_timeout = 3s}));
  auto connection = client.raw();
  connection.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab");
  client.clock().advance(2s);
  CHECK(connection.quiet());
  client.clock().advance(1s);
  CHECK(connection.read_response().status() == 408);
}

TEST_CASE("bodies may be chunked, with trailers") {
  App app;
  app.post("/upload", [](BodyStream body) -> Task<std::string> {
    std::string seen;
    while (const auto piece = co_await body.read()) seen += *piece;
    for (const Field& field : body.trailers()) seen.append("; ").append(field.name).append("=").append(field.value);
    co_return seen;
  });
  TestClient client(std::move(app), on_test_engine());
  CHECK(client.post("/upload").chunked({"ab", "c"}).send().body() == "abc");
  CHECK(client.post("/upload").chunked({"ab"}).trailer("Sum", "7").send().body() == "ab; Sum=7");
  CHECK(client.post("/upload").chunked({}).send().body().empty());
}

TEST_CASE("a body can wait for 100 Continue") {
  App app = echo_app();
  app.post("/refuse", [](Request&) -> Task<Response> { throw forbidden(); });
  app.post("/unread", [](BodyStream) -> Task<Response> { throw forbidden(); });
  TestClient client(std::move(app), on_test_engine());
  const TestResponse read = client.post("/echo").body("all of it").expect_continue().send();
  CHECK(read.body() == "all of it");
  CHECK(read.interim() == std::vector<TestStatus>{Status::continue_});
  CHECK_FALSE(read.closes());
  const TestResponse unread = client.post("/unread").body("none of it").expect_continue().send();
  CHECK(unread.status() == 403);
  CHECK(unread.interim().empty());
  CHECK(unread.closes());
  CHECK(client.post("/echo").chunked({"in ", "chunks"}).expect_continue().send().body() == "in chunks");
  CHECK(client.post("/echo").body("").expect_continue().send().interim().empty());
  CHECK(client.post("/echo").body("1.0").expect_continue().version_1_0().send().body() == "1.0");
}

TEST_CASE("a response to HEAD has no body, and its connection is kept") {
  TestClient client(echo_app(), on_test_engine());
  const TestResponse head = client.head("/").send();
  CHECK(head.status() == 200);
  CHECK(head.header("content-length") == "5");
  CHECK(head.body().empty());
  CHECK(client.get("/").send().body() == "hello");
  CHECK(client.server().connection_count() == 1);
}

TEST_CASE("large bodies are sent in both directions, even if both ends write before they read") {
  ServerOptions options;
  options.limits.body_bytes_max = 64 * 1024 * 1024;
  App app = echo_app();
  app.post("/tee", [](BodyStream body) -> Task<Response> {
    const std::optional<std::string_view> first = co_await body.read();
    co_return Response::text(of_size(4 * 1024 * 1024) + std::to_string(first.has_value()));
  });
  TestClient client(std::move(app), on_test_engine(options));
  const std::string large = of_size(8 * 1024 * 1024);
  CHECK((client.post("/echo").body(large).send().body() == large));
  CHECK((client.post("/echo").chunked({large, large}).send().body() == large + large));
  CHECK(client.post("/tee").body(large).send().body().size() == 4 * 1024 * 1024 + 1);
  CHECK((client.post("/echo").body(large).expect_continue().send().body() == large));
}

TEST_CASE("a body that is too large is refused before it is sent completely") {
  TestClient client(echo_app(), on_test_engine());
  const TestResponse refused = client.post("/echo").body(of_size(8 * 1024 * 1024)).send();
  CHECK(refused.status() == 413);
  CHECK(refused.closes());
}

TEST_CASE("cookies are stored and sent after keep_cookies()") {
  App app = echo_app();
  app.get("/set", [] {
    Response response;
    response.add_header("set-cookie", "a=1; Path=/; Max-Age=60").add_header("set-cookie", "b=2");
    return response;
  });
  app.get("/expire", [] {
    Response response;
    response.add_header("set-cookie", "a=; Max-Age=0").add_header("set-cookie", "b=3");
    return response;
  });
  TestClient client(std::move(app), on_test_engine());
  static_cast<void>(client.get("/set").send());
  CHECK(client.get("/cookies").send().body() == "none");
  client.keep_cookies();
  static_cast<void>(client.get("/set").send());
  CHECK(client.get("/cookies").cookie("c", "4").send().body() == "c=4; a=1; b=2");
  static_cast<void>(client.get("/expire").send());
  CHECK(client.get("/cookies").send().body() == "b=3");
}

TEST_CASE("a form with files arrives as it was composed") {
  App app;
  app.post("/", [](Multipart form) -> Task<std::string> {
    std::string seen;
    while (auto part = co_await form.next()) {
      const std::string content = co_await part->text();
      seen += part->name() + "|" + part->file_name().value_or("no file") + "|" + std::string(part->content_type()) +
              "|" + content + "\n";
    }
    co_return seen;
  });
  TestClient client(std::move(app), on_test_engine());
  const std::string awkward = "--part\r\n--part---\r\n";  // contains what could be the boundary
  const auto received = client.post("/")
                            .part("note", "new")
                            .file("file", "a\".txt", awkward, "text/html")
                            .file("empty", "", "", "text/plain")
                            .send();
  CHECK(received.body() == "note|no file|text/plain|new\nfile|a\".txt|text/html|" + awkward + "\nempty||text/plain|\n");
}

TEST_CASE("several clients can exist at once, each with its own app and clock") {
  TestClient one(echo_app(), on_test_engine());
  TestClient other(make_app(Db::memory()), on_test_engine());
  auto slow = one.get("/sleep").start();
  other.clock().advance(1h);
  CHECK_FALSE(slow.done());
  CHECK(other.post("/api/v1/items").bearer("t").json(NewItem{"pen", 3}).send().status() == 201);
  CHECK(other.get("/").send().status() == 404);
  one.clock().advance(3s);
  CHECK(slow.wait().body() == "awake");
}

TEST_CASE("the constructor throws for an invalid app") {
  App twice;
  twice.get("/a", [] { return "a"; });
  twice.get("/a", [] { return "b"; });
  CHECK_THROWS_AS(TestClient(std::move(twice), on_test_engine()), std::invalid_argument);
  App lacking;
  lacking.get("/", [](State<Db>) { return "a"; });
  CHECK_THROWS_AS(TestClient(std::move(lacking), on_test_engine()), std::invalid_argument);
}

TEST_CASE("a server that does not respond fails the test") {
  TestClientOptions options = on_test_engine();
  options.wait_timeout = 20ms;
  TestClient client(echo_app(), options);
  CHECK_THROWS_AS(client.get("/sleep").send(), TestFailure);
  auto connection = client.raw();
  CHECK_THROWS_AS(static_cast<void>(connection.read_some()), TestFailure);
}

TEST_CASE("a drain completes requests in progress and closes idle connections") {
  TestClient client(echo_app(), on_test_engine());
  CHECK(client.get("/").send().status() == 200);
  auto slow = client.get("/sleep").start();
  client.start_drain();
  CHECK_FALSE(client.drain(1s));
  CHECK_FALSE(slow.done());
  client.clock().advance(2s);
  const TestResponse last = slow.wait();
  CHECK(last.body() == "awake");
  CHECK(last.closes());
  CHECK(client.drain());
  CHECK(client.server().connection_count() == 0);
}

TEST_CASE("a response may be abandoned while its handler runs") {
  TestClient client(echo_app(), on_test_engine());
  {
    auto slow = client.get("/sleep").start();
  }
  CHECK(client.get("/").send().body() == "hello");
  client.clock().advance(3s);
  CHECK(client.get("/").send().body() == "hello");
}

TEST_SUITE_END();

}  // namespace volt::http
