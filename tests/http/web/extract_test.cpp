// SPDX-License-Identifier: MIT

#include "http/web/extract.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "http/http.h"
#include "tests/http/in_process_app.h"

namespace volt::http::extract_test {

enum class Order : std::uint8_t { newest, oldest };

struct Search {
  std::string text;
  int limit = 20;
  std::optional<std::int64_t> after;
  std::vector<int> tags;
  Order order = Order::newest;
};

struct Login {
  std::string name;
  int code;
};

struct Line {
  std::string product;
  int count;
};
struct Purchase {
  int id;
  std::vector<Line> lines;
};

struct Counter {
  int value = 0;
};
struct Rooms {
  using Shareable = void;
  mutable int opened = 0;
};
struct Declared {};

struct User {
  std::string name;
};

// Records its number when it is made, and rejects the request if the query contains the number.
template <int number>
struct Step {
  static Step from(Request& request) {
    note(request);
    return {};
  }
  static void note(Request& request) {
    if (request.query() == std::to_string(number)) throw conflict("step " + std::to_string(number));
    std::string* steps = request.find<std::string>();
    (steps ? *steps : request.put(std::string())) += std::to_string(number);
  }
};
template <int number>
struct LaterStep {
  static Task<LaterStep> from(Request& request) {
    co_await yield();
    Step<number>::note(request);
    co_return LaterStep();
  }
};

}  // namespace volt::http::extract_test

template <>
inline constexpr bool volt::http::kShareable<volt::http::extract_test::Declared> = true;

namespace volt::http {
namespace {

using namespace extract_test;

constexpr std::string_view kForm = "application/x-www-form-urlencoded";
constexpr std::string_view kJson = "application/json";

struct Asked {
  std::string why;
  AppRequest question;
  int status;
  std::string body;  // The body of a 200, otherwise a part of the problem.
};

void check(InProcessApp& app, const Asked& asked) {
  CAPTURE(asked.why);
  const Response response = app.ask(asked.question);
  const std::string body(response.body());
  CAPTURE(body);
  CHECK(code(response.status()) == asked.status);
  if (asked.status == 200) {
    CHECK(body == asked.body);
  } else {
    CHECK(response.content_type() == "application/problem+json");
    CHECK(body.find(asked.body) != std::string::npos);
  }
}

std::string told(const Search& search) {
  std::string text = search.text + " " + std::to_string(search.limit) + " ";
  text += search.after ? std::to_string(*search.after) : "none";
  for (const int tag : search.tags) text += " " + std::to_string(tag);
  return text + (search.order == Order::oldest ? " oldest" : "");
}

Task<std::string> later(Path<int> id, Query<Search> search) {
  co_await yield();
  co_return std::to_string(*id) + " " + search->text;
}

}  // namespace

TEST_SUITE_BEGIN("http/web/extract");

TEST_CASE("path parameters are taken by position or by name, decoded, or rejected with a sentence") {
  App app;
  app.get("/number/{id}", [](Path<std::uint8_t> id) { return std::to_string(*id); });
  app.get("/two/{a}/{b}", [](Path<std::string> a, Path<int> b) { return *a + "|" + std::to_string(*b); });
  app.get("/order/{order}", [](Path<Order> order) { return *order == Order::oldest ? "oldest" : "newest"; });
  app.get("/later/{id}", later);
  auto group = app.group("/group/{team}");
  group.get("/place/{id}", [](Path<int> id, Path<std::string, "team"> team) { return *team + std::to_string(*id); });
  group.get("/name/{id}",
            [](Path<std::string, "id"> id, Path<int, "team"> team) { return *id + std::to_string(*team); });
  InProcessApp asked(std::move(app));
  const Asked cases[] = {
      {"a number", {.path = "/number/255"}, 200, "255"},
      {"out of range",
       {.path = "/number/256"},
       400,
       R"("detail":"path id must be a whole number from 0 to 255","errors":[{"field":"id","detail":"must be a whole number from 0 to 255"}])"},
      {"none", {.path = "/number/x"}, 400, "path id must be a whole number"},
      {"two parameters by position", {.path = "/two/x%2Fy/-7"}, 200, "x/y|-7"},
      {"the error names the second parameter", {.path = "/two/1/x"}, 400, "path b must be a whole number"},
      {"an enumerator", {.path = "/order/oldest"}, 200, "oldest"},
      {"none", {.path = "/order/best"}, 400, "path order must be one of newest, oldest"},
      {"in a coroutine", {.path = "/later/3", .query = "text=a"}, 200, "3 a"},
      {"its own parameter, not the group's", {.path = "/group/red/place/4"}, 200, "red4"},
      {"two parameters by name", {.path = "/group/5/name/x"}, 200, "x5"},
      {"a parameter by name, rejected", {.path = "/group/red/name/x"}, 400, "path team must be a whole number"},
  };
  for (const Asked& one : cases) check(asked, one);
}

TEST_CASE("a query fills an aggregate: members with a default, optionals and vectors may be missing") {
  App app;
  app.get("/", [](Query<Search> search) { return told(*search); });
  InProcessApp asked(std::move(app));
  const Asked cases[] = {
      {"only the required members", {.query = "text=a+b"}, 200, "a b 20 none"},
      {"all", {.query = "order=oldest&tags=2&tags=1&after=-5&limit=3&text="}, 200, " 3 -5 2 1 oldest"},
      {"unknown fields are ignored", {.query = "text=a&utm_source=x"}, 200, "a 20 none"},
      {"a required member is missing",
       {.query = ""},
       400,
       R"("detail":"query text is missing","errors":[{"field":"text","detail":"is missing"}])"},
      {"a member is given twice", {.query = "text=a&limit=1&limit=2"}, 400, "query limit must be given only once"},
      {"all errors are listed",
       {.query = "limit=x&tags=y"},
       400,
       R"({"field":"text","detail":"is missing"},{"field":"limit",)"},
      {"too many fields",
       {.query =
            [] {
              std::string many = "text=a";
              for (int i = 0; i < 5000; ++i) many += "&a";
              return many;
            }()},
       400,
       "query: too many fields"},
  };
  for (const Asked& one : cases) check(asked, one);
}

TEST_CASE("a form needs its content type (else 415) and fields that fit (else 422)") {
  App app;
  app.post("/", [](Form<Login> login) { return login->name + std::to_string(login->code); });
  InProcessApp asked(std::move(app));
  const Asked cases[] = {
      {"a form",
       {.method = Method::post, .fields = {{"content-type", kForm}}, .body = "name=a%26b&code=7"},
       200,
       "a&b7"},
      {"the content type has a parameter",
       {.method = Method::post,
        .fields = {{"content-type", "Application/X-WWW-Form-Urlencoded; charset=utf-8"}},
        .body = "name=a&code=7"},
       200,
       "a7"},
      {"JSON",
       {.method = Method::post, .fields = {{"content-type", kJson}}, .body = "name=a&code=7"},
       415,
       "the request body must be of type application/x-www-form-urlencoded"},
      {"no content type", {.method = Method::post, .body = "name=a&code=7"}, 415, "the request body must be of type"},
      {"a field does not fit",
       {.method = Method::post, .fields = {{"content-type", kForm}}, .body = "name=a&code=x"},
       422,
       "form code must be a whole number"},
      {"text that is UTF-8",
       {.method = Method::post, .fields = {{"content-type", kForm}}, .body = "name=%C3%A9\xc3\xa9&code=7"},
       200,
       "\xc3\xa9\xc3\xa9"
       "7"},
      {"an escape that is not UTF-8",
       {.method = Method::post, .fields = {{"content-type", kForm}}, .body = "name=%ff&code=7"},
       400,
       "the form is not UTF-8"},
      {"a byte that is not UTF-8",
       {.method = Method::post, .fields = {{"content-type", kForm}}, .body = "name=\xc3&code=7"},
       400,
       "the form is not UTF-8"},
      {"a malformed escape",
       {.method = Method::post, .fields = {{"content-type", kForm}}, .body = "name=%zz&code=7"},
       400,
       "the form has a malformed percent escape"},
      {"an escape that is cut off",
       {.method = Method::post, .fields = {{"content-type", kForm}}, .body = "code=7&name=%4"},
       400,
       "the form has a malformed percent escape"},
      {"an escaped NUL",
       {.method = Method::post, .fields = {{"content-type", kForm}}, .body = "name=a%00&code=7"},
       400,
       "the form contains a NUL"},
      {"an empty body",
       {.method = Method::post, .fields = {{"content-type", kForm}}},
       422,
       R"({"field":"name","detail":"is missing"},{"field":"code")"},
  };
  for (const Asked& one : cases) check(asked, one);
}

TEST_CASE("malformed JSON is a 400; JSON that does not fit is a 422 with a pointer to the value") {
  App app;
  app.post("/", [](Json<Purchase> purchase) { return std::to_string(purchase->lines.at(0).count); });
  app.post("/later", [](Json<Purchase> purchase) -> Task<std::string> { co_return std::to_string(purchase->id); });
  InProcessApp asked(std::move(app));
  const auto sent = [](std::string body, std::string_view type = kJson, std::string path = "/") {
    return AppRequest{
        .method = Method::post, .path = std::move(path), .fields = {{"content-type", type}}, .body = std::move(body)};
  };
  const std::string good = R"({"id":1,"lines":[{"product":"pen","count":3}]})";
  const Asked cases[] = {
      {"JSON that fits", sent(good), 200, "3"},
      {"a +json type", sent(good, "application/vnd.shop+json; charset=utf-8"), 200, "3"},
      {"in a coroutine", sent(good, kJson, "/later"), 200, "1"},
      {"another content type", sent(good, "text/plain"), 415, "the request body must be of type application/json"},
      {"a malformed content type", sent(good, "json"), 415, "the request body must be of type application/json"},
      {"malformed JSON", sent("{"), 400, R"("errors":[{"field":"","detail":)"},
      {"nothing", sent(""), 400, R"("detail":"the body: )"},
      {"invalid UTF-8", sent("\"\xff\""), 400, "UTF-8"},
      {"too deep", sent(R"({"id":1,"x":)" + std::string(100, '[')), 400, "\"status\":400"},
      {"a value of another kind", sent(R"({"id":1,"lines":[{"product":"pen","count":"x"}]})"), 422,
       R"("errors":[{"field":"/lines/0/count","detail":)"},
      {"a number that is too large", sent(R"({"id":3000000000,"lines":[]})"), 422, R"({"field":"/id",)"},
      {"a member is missing", sent(R"({"id":1})"), 422, R"({"field":"/lines",)"},
      {"a member is repeated", sent(R"({"id":1,"id":1,"lines":[]})"), 422, R"({"field":"/id",)"},
  };
  for (const Asked& one : cases) check(asked, one);
}

TEST_CASE("header fields and cookies are read as text or as another type, and may be missing if they are optional") {
  App app;
  app.get("/header", [](Header<"user-agent"> agent) { return *agent; });
  app.get("/number", [](Header<"x-count", int> count) { return std::to_string(*count); });
  app.get("/perhaps", [](Header<"x-count", std::optional<int>> count) { return std::to_string(count->value_or(-1)); });
  app.get("/cookie", [](Cookie<"session"> session) { return *session; });
  app.get("/crumb",
          [](Cookie<"crumb", std::optional<std::uint16_t>> crumb) { return std::to_string(crumb->value_or(1)); });
  InProcessApp asked(std::move(app));
  const Asked cases[] = {
      {"a field", {.path = "/header", .fields = {{"User-Agent", "a b"}}}, 200, "a b"},
      {"a missing field",
       {.path = "/header"},
       400,
       R"("detail":"header user-agent is missing","errors":[{"field":"user-agent",)"},
      {"a field as a number", {.path = "/number", .fields = {{"X-Count", "5"}}}, 200, "5"},
      {"none", {.path = "/number", .fields = {{"X-Count", "5x"}}}, 400, "header x-count must be a whole number"},
      {"perhaps", {.path = "/perhaps"}, 200, "-1"},
      {"an optional field that is present", {.path = "/perhaps", .fields = {{"x-count", "6"}}}, 200, "6"},
      {"an optional field that does not fit",
       {.path = "/perhaps", .fields = {{"x-count", "y"}}},
       400,
       "header x-count must be"},
      {"a cookie", {.path = "/cookie", .fields = {{"cookie", "a=b; session=s"}}}, 200, "s"},
      {"a missing cookie", {.path = "/cookie", .fields = {{"cookie", "sessions=s"}}}, 400, "cookie session is missing"},
      {"a cookie as a number", {.path = "/crumb", .fields = {{"cookie", "crumb=9"}}}, 200, "9"},
      {"a cookie that is out of range",
       {.path = "/crumb", .fields = {{"cookie", "crumb=65536"}}},
       400,
       "cookie crumb must be a whole number from 0 to 65535"},
  };
  for (const Asked& one : cases) check(asked, one);
}

TEST_CASE("state is one value per app and is const unless its type is shareable") {
  static_assert(std::is_same_v<decltype(*std::declval<State<Counter>>()), const Counter&>);
  static_assert(std::is_same_v<decltype(*std::declval<State<Rooms>>()), Rooms&>);
  static_assert(std::is_same_v<decltype(*std::declval<State<Declared>>()), Declared&>);
  static_assert(std::is_same_v<decltype(std::declval<const State<Counter>>().operator->()), const Counter*>);
  App app;
  app.state(Counter{7}).state(Rooms());
  app.get("/",
          [](State<Counter> counter, State<Rooms> rooms) { return std::to_string(counter->value + ++rooms->opened); });
  InProcessApp asked(std::move(app));
  check(asked, {"the first", {}, 200, "8"});
  check(asked, {"the same again", {}, 200, "9"});
}

TEST_CASE("a value that middleware stored is found by its type and may be modified") {
  App app;
  app.use(provide<User>([](Request& request, Next next) -> Task<Response> {
    User& user = request.put(User{"ann"});
    Response response = co_await next(request);
    response.header("x-user", user.name);
    co_return response;
  }));
  app.get("/", [](From<User> user) { return std::exchange(user->name, "bob"); });
  const Response response = InProcessApp(std::move(app)).ask({});
  CHECK(response.body() == "ann");
  CHECK(response.header("x-user").value() == "bob");
}

TEST_CASE("a streamed body is read piece by piece and reports its errors") {
  App app;
  app.post("/", [](BodyStream body) -> Task<std::string> {
    std::string text;
    for (;;) {
      const auto piece = co_await body.read();
      if (!piece) co_return text;
      text.append(*piece).append("|");
    }
  });
  app.use([](Request& request, Next next) -> Task<Response> {
    request.limit_body(12);
    co_return co_await next(request);
  });
  InProcessApp asked(std::move(app));
  check(asked, {"pieces", {.method = Method::post, .body = "hello, world"}, 200, "hello|, wor|ld|"});
  check(asked, {"nothing", {.method = Method::post}, 200, ""});
  check(asked, {"too much", {.method = Method::post, .body = "hello, worlds"}, 413, "\"status\":413"});
}

TEST_CASE("a handler that takes the request gets its whole body") {
  App app;
  app.post("/", [](const Request& request) { return std::string(request.body()); });
  app.post("/later", [](Request& request) -> Task<std::string> { co_return std::string(request.body()); });
  app.post("/any", [](auto& request) { return std::string(request.body()); });
  app.post("/none", [] { return "none"; });
  InProcessApp asked(std::move(app));
  check(asked, {"plain", {.method = Method::post, .body = "hello, world"}, 200, "hello, world"});
  check(asked, {"later", {.method = Method::post, .path = "/later", .body = "hello, world"}, 200, "hello, world"});
  check(asked, {"a template", {.method = Method::post, .path = "/any", .body = "hello, world"}, 200, "hello, world"});
  check(asked, {"unwanted", {.method = Method::post, .path = "/none", .body = "hello, world"}, 200, "none"});
}

TEST_CASE("parameters are made in their order, up to the first that rejects the request") {
  const auto steps = [](const Request& request) { return request.get<std::string>(); };
  App app;
  app.get("/plain", [=](Step<1>, Step<2>, const Request& request, Step<3>) { return steps(request); });
  app.get("/later", [=](Step<3>, Step<2>, const Request& request) -> Task<std::string> { co_return steps(request); });
  app.get("/waits",
          [=](Step<1>, LaterStep<2>, Step<3>, LaterStep<4>, const Request& request) { return steps(request); });
  app.get("/waits_later", [=](LaterStep<2>, Step<1>, const Request& request) -> Task<Response> {
    co_return Response::text(steps(request));
  });
  InProcessApp asked(std::move(app));
  const Asked cases[] = {
      {"a plain function", {.path = "/plain"}, 200, "123"},
      {"a coroutine", {.path = "/later"}, 200, "32"},
      {"extractors that wait", {.path = "/waits"}, 200, "1234"},
      {"extractors that wait, in a coroutine", {.path = "/waits_later"}, 200, "21"},
      {"a rejection", {.path = "/plain", .query = "2"}, 409, "step 2"},
      {"a rejection by an extractor that waits", {.path = "/waits", .query = "4"}, 409, "step 4"},
      {"a rejection before an extractor that waits", {.path = "/waits", .query = "1"}, 409, "step 1"},
  };
  for (const Asked& one : cases) check(asked, one);
}

TEST_SUITE_END();
}  // namespace volt::http
