// SPDX-License-Identifier: MIT

#include "http/openapi/openapi.h"

#include <doctest/doctest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "http/http.h"
#include "http/middleware/auth.h"
#include "http/middleware/session.h"
#include "http/testing/test_client.h"
#include "tests/support/engine.h"

namespace volt::http::openapi_test {

enum class Order : std::uint8_t { newest, oldest };

struct Item {
  std::int64_t id;
  std::string name;
};
struct NewItem {
  std::string name;
  int price = 1;
};
struct Page {
  int limit = 20;
  std::optional<std::string> after;
  std::vector<Order> order;
  std::string filter;
};
struct Login {
  std::string name;
  bool stay = false;
};

TestClientOptions on_test_engine() { return {.io = test_options().io}; }

// Formats JSON without white space between tokens.
std::string squeezed(std::string_view json) {
  std::string text;
  bool quoted = false;
  for (const char c : json) {
    if (c == '"') quoted = !quoted;
    if (quoted || (c != ' ' && c != '\n')) text += c;
  }
  return text;
}

// The operation of the only route of an app.
template <class Build>
std::string operation_of(Build build) {
  App app;
  build(app);
  const std::string document = app.openapi({.title = "t", .version = "1"});
  const std::size_t begin = document.find(R"("paths":)") + 8;
  return document.substr(begin, document.find(R"(,"components":)") - begin);
}

TEST_SUITE_BEGIN("http/openapi/openapi");

TEST_CASE("a document describes the signatures of the handlers") {
  App app;
  auto api = app.group("/api/{tenant}");
  api.tag("items");
  api.use(bearer_auth([](std::string_view) { return std::optional<int>(1); }));
  api.get("/items", [](Query<Page>) { return std::vector<Item>(); }).summary("The items").operation_id("list");
  api.post("/items", [](Json<NewItem>) { return Created<Item>(Item{}); })
      .responses(Status::conflict, "The name is taken");
  api.get("/items/{id}", [](Path<std::int64_t>) { return std::optional<Item>(); });
  api.del("/items/{key}", [](Path<std::int64_t>, Header<"if-match">) {}).deprecated();
  app.openapi("/openapi.json", {.title = "Items", .version = "1.0", .servers = {"https://example.com"}});
  TestClient client(std::move(app), on_test_engine());
  const auto answer = client.get("/openapi.json").send();
  CHECK(answer.header("content-type") == "application/json");
  const std::string problem = R"({"$ref": "#/components/responses/Problem"})";
  const auto refusal = [](std::string_view phrase) {
    return R"({"$ref": "#/components/responses/Problem", "description": ")" + std::string(phrase) + "\"}";
  };
  const std::string parameters_of_item = R"([
      {"name": "tenant", "in": "path", "required": true, "schema": {"type": "string"}},
      {"name": "id", "in": "path", "required": true, "schema": {"type": "integer", "format": "int64"}})";
  const std::string want = squeezed(R"({
    "openapi": "3.1.0",
    "info": {"title": "Items", "version": "1.0"},
    "servers": [{"url": "https://example.com"}],
    "paths": {
      "/api/{tenant}/items": {
        "get": {
          "tags": ["items"],
          "summary": "The items",
          "operationId": "list",
          "parameters": [
            {"name": "tenant", "in": "path", "required": true, "schema": {"type": "string"}},
            {"name": "limit", "in": "query", "schema": {"type": "integer", "format": "int32", "default": 20}},
            {"name": "after", "in": "query", "schema": {"type": "string"}},
            {"name": "order", "in": "query",
             "schema": {"type": "array", "items": {"type": "string", "enum": ["newest", "oldest"]}}},
            {"name": "filter", "in": "query", "required": true, "schema": {"type": "string"}}
          ],
          "responses": {
            "200": {"description": "OK", "content": {"application/json": {
                    "schema": {"type": "array", "items": {"$ref": "#/components/schemas/Item"}}}}},
            "400": )" + refusal("Bad Request") +
                                    R"(,
            "401": )" + refusal("Unauthorized") +
                                    R"(,
            "default": )" + problem +
                                    R"(
          },
          "security": [{"bearer": []}]
        },
        "post": {
          "tags": ["items"],
          "operationId": "post_api_tenant_items",
          "parameters": [{"name": "tenant", "in": "path", "required": true, "schema": {"type": "string"}}],
          "requestBody": {"required": true, "content": {"application/json": {
                          "schema": {"$ref": "#/components/schemas/NewItem"}}}},
          "responses": {
            "201": {"description": "Created",
                    "headers": {
                      "Location": {"description": "URI of the created resource", "schema": {"type": "string"}}},
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Item"}}}},
            "400": )" + refusal("Bad Request") +
                                    R"(,
            "401": )" + refusal("Unauthorized") +
                                    R"(,
            "409": )" + refusal("The name is taken") +
                                    R"(,
            "413": )" + refusal("Content Too Large") +
                                    R"(,
            "415": )" + refusal("Unsupported Media Type") +
                                    R"(,
            "422": )" + refusal("Unprocessable Content") +
                                    R"(,
            "default": )" + problem +
                                    R"(
          },
          "security": [{"bearer": []}]
        }
      },
      "/api/{tenant}/items/{id}": {
        "get": {
          "tags": ["items"],
          "operationId": "get_api_tenant_items_id",
          "parameters": )" + parameters_of_item +
                                    R"(],
          "responses": {
            "200": {"description": "OK", "content": {"application/json": {
                    "schema": {"$ref": "#/components/schemas/Item"}}}},
            "400": )" + refusal("Bad Request") +
                                    R"(,
            "401": )" + refusal("Unauthorized") +
                                    R"(,
            "404": )" + refusal("Not Found") +
                                    R"(,
            "default": )" + problem +
                                    R"(
          },
          "security": [{"bearer": []}]
        },
        "delete": {
          "tags": ["items"],
          "operationId": "delete_api_tenant_items_id",
          "deprecated": true,
          "parameters": )" + parameters_of_item +
                                    R"(,
            {"name": "if-match", "in": "header", "required": true, "schema": {"type": "string"}}],
          "responses": {
            "204": {"description": "No Content"},
            "400": )" + refusal("Bad Request") +
                                    R"(,
            "401": )" + refusal("Unauthorized") +
                                    R"(,
            "default": )" + problem +
                                    R"_(
          },
          "security": [{"bearer": []}]
        }
      }
    },
    "components": {
      "schemas": {
        "Item": {"type": "object",
          "properties": {"id": {"type": "integer", "format": "int64"}, "name": {"type": "string"}},
          "required": ["id", "name"]},
        "NewItem": {"type": "object",
          "properties": {"name": {"type": "string"}, "price": {"type": "integer", "format": "int32", "default": 1}},
          "required": ["name"]},
        "Problem": {"type": "object", "properties": {
          "type": {"type": "string", "format": "uri-reference"},
          "title": {"type": "string"}, "status": {"type": "integer"}, "detail": {"type": "string"},
          "errors": {"type": "array", "items": {"type": "object",
            "properties": {"field": {"type": "string"}, "detail": {"type": "string"}},
            "required": ["field", "detail"]}},
          "request_id": {"type": "string"}}}
      },
      "responses": {"Problem": {
        "description": "An error (RFC 9457)",
        "content": {
    "application/problem+json" : { "schema" : {"$ref" : "#/components/schemas/Problem"} }}
}
}
, "securitySchemes" : { "bearer" : {"type" : "http", "scheme" : "bearer"} }
}
, "tags" : [ {"name" : "items"} ]
  })_");
  CHECK(answer.body() == want);
}

TEST_CASE("each extractor and each result is described") {
  const std::string fails = R"("default":{"$ref":"#/components/responses/Problem"}}}}})";
  const auto refused = [](const std::string& status, const std::string& phrase) {
    return "\"" + status + R"(":{"$ref":"#/components/responses/Problem","description":")" + phrase + "\"},";
  };
  const auto body = [](const std::string& media, const std::string& schema) {
    return R"({"/":{"post":{"operationId":"post","requestBody":{"required":true,"content":{")" + media +
           R"(":{"schema":)" + schema + R"(}}},"responses":{)";
  };
  const std::string get = R"({"/":{"get":{"operationId":"get","responses":{)";
  const struct {
    std::string why, found, want;
  } cases[] = {
      {"text", operation_of([](App& app) { app.get("/", [] { return "a"; }); }),
       get + R"("200":{"description":"OK","content":{"text/plain":{"schema":{"type":"string"}}}},)" + fails},
      {"a Response made by the handler", operation_of([](App& app) { app.get("/", [] { return Response(); }); }),
       get + R"("2XX":{"description":"Success"},)" + fails},
      {"a response described by the route",
       operation_of([](App& app) { app.get("/", [] { return Response(); }).responses(Status::accepted, "Later"); }),
       get + R"("202":{"description":"Later"},)" + fails},
      {"a file", operation_of([](App& app) { app.get("/", [] { return File("a"); }); }),
       get + R"("2XX":{"description":"Success"},)" + fails},
      {"an event stream", operation_of([](App& app) { app.get("/", [](EventStream&) -> Task<> { co_return; }); }),
       get + R"("200":{"description":"OK","content":{"text/event-stream":{"schema":{"type":"string"}}}},)" + fails},
      {"a WebSocket", operation_of([](App& app) { app.ws("/", [](WebSocket&) -> Task<> { co_return; }); }),
       get + R"("101":{"description":"Switching Protocols"},)" + refused("400", "Bad Request") +
           refused("403", "Forbidden") + refused("426", "Upgrade Required") + fails},
      {"middleware that refuses requests", operation_of([](App& app) {
         app.use(rate_limit(), csrf());
         app.get("/", [] { return "a"; });
       }),
       get + R"("200":{"description":"OK","content":{"text/plain":{"schema":{"type":"string"}}}},)" +
           refused("403", "Forbidden") + refused("429", "Too Many Requests") + fails},
      {"either", operation_of([](App& app) { app.get("/", [] { return std::expected<void, Problem>(); }); }),
       get + R"("204":{"description":"No Content"},)" + fails},
      {"several results of one media type",
       operation_of([](App& app) { app.get("/", [] { return std::variant<bool, int, std::string>(); }); }),
       get +
           R"("200":{"description":"OK","content":{"application/json":{"schema":{"anyOf":[{"type":"boolean"},)"
           R"({"type":"integer","format":"int32"}]}},"text/plain":{"schema":{"type":"string"}}}},)" +
           fails},
      {"a form", operation_of([](App& app) { app.post("/", [](Form<Login>) {}); }),
       body("application/x-www-form-urlencoded",
            R"({"type":"object","properties":{"name":{"type":"string"},"stay":{"type":"boolean","default":false}},)"
            R"("required":["name"]})") +
           R"("204":{"description":"No Content"},)" + refused("400", "Bad Request") +
           refused("413", "Content Too Large") + refused("415", "Unsupported Media Type") +
           refused("422", "Unprocessable Content") + fails},
      {"a form with files", operation_of([](App& app) { app.post("/", [](Multipart) {}); }),
       body("multipart/form-data", R"({"type":"object"})") + R"("204":{"description":"No Content"},)" +
           refused("400", "Bad Request") + refused("413", "Content Too Large") +
           refused("415", "Unsupported Media Type") + fails},
      {"any bytes", operation_of([](App& app) { app.post("/", [](BodyStream) {}); }),
       body("*/*", "{}") + R"("204":{"description":"No Content"},)" + refused("413", "Content Too Large") + fails},
      {"an optional cookie",
       operation_of([](App& app) { app.get("/", [](Cookie<"session", std::optional<std::string>>) {}); }),
       R"({"/":{"get":{"operationId":"get","parameters":[{"name":"session","in":"cookie","schema":{"type":"string"}}],)"
       R"("responses":{"204":{"description":"No Content"},)" +
           fails},
  };
  for (const auto& one : cases) {
    CAPTURE(one.why);
    CHECK(one.found == one.want);
  }
}

TEST_CASE("a path is listed once, with the parameter names of its first route") {
  const std::string paths = operation_of([](App& app) {
    app.get("/files/{file...}", [](Path<std::string>) { return ""; });
    app.put("/files/{path...}", [](Path<std::string, "path">) {});
    app.host("a.example").get("/", [] { return ""; });
    app.host("b.example").get("/", [] { return ""; });
  });
  CHECK(paths.find("\"/files/{file}\":{") != std::string::npos);
  CHECK(paths.find("{path}") == std::string::npos);
  CHECK(paths.find(R"("name":"path")") == std::string::npos);
  CHECK(paths.find(R"("get_2")") == std::string::npos);
}

TEST_CASE("a generated operationId avoids the ids that routes set") {
  const std::string paths = operation_of([](App& app) {
    app.get("/a/b", [] {});
    app.get("/a-b", [] {});
    app.get("/c", [] {}).operation_id("get_a_b");
  });
  for (const std::string id : {"get_a_b", "get_a_b_2", "get_a_b_3"}) {
    CAPTURE(id);
    CHECK(paths.find("\"operationId\":\"" + id + "\"") != std::string::npos);
  }
}

TEST_CASE("hidden and unsupported routes are left out") {
  const std::string paths = operation_of([](App& app) {
    app.list_routes("/routes");
    app.openapi("/openapi.json", {.title = "t", .version = "1"});
    app.files("/assets", ".");
    app.get("/secret", [] {}).hidden();
    app.route(std::nullopt, "/any", [] {});
    app.route(Method::propfind, "/dav", [] {});
  });
  CHECK(paths == "{}");
}

TEST_CASE("a tag comes from the route, its group, an enclosing group or the prefix") {
  App app;
  auto plain = app.group("/plain");
  plain.get("", [] {});
  auto tagged = app.group("/tagged");
  tagged.tag("group");
  tagged.group("/inner").get("", [] {});
  tagged.get("/own", [] {}).tag("one").tag("two");
  const std::string document = app.openapi({.title = "t", .version = "1"});
  CHECK(document.ends_with(R"("tags":[{"name":"plain"},{"name":"group"},{"name":"one"},{"name":"two"}]})"));
  CHECK(document.find(R"({"tags":["one","two"],"operationId":"get_tagged_own")") != std::string::npos);
}

TEST_CASE("credentials are required by the middleware of any enclosing group") {
  App app;
  app.use(basic_auth([](const BasicCredentials&) { return std::optional<int>(1); }));
  auto inner = app.group("/inner");
  Middleware own([](Request& request, Next next) -> Task<Response> { co_return co_await next(request); });
  inner.use(std::move(own.requires_credentials(Credentials::jwt)));
  inner.get("", [] {});
  const std::string document = app.openapi({.title = "t", .version = "1"});
  CHECK(document.find(R"("security":[{"basic":[],"jwt":[]}])") != std::string::npos);
  CHECK(document.find(R"("basic":{"type":"http","scheme":"basic"})") != std::string::npos);
  CHECK(document.find(R"("jwt":{"type":"http","scheme":"bearer","bearerFormat":"JWT"})") != std::string::npos);
}

TEST_CASE("an invalid document throws before the server listens") {
  const auto serve = [](auto build) {
    App app;
    build(app);
    TestClient client(std::move(app), on_test_engine());
  };
  CHECK_THROWS_AS(serve([](App& app) { app.openapi("/o", {.title = "", .version = "1"}); }), std::invalid_argument);
  CHECK_THROWS_AS(serve([](App& app) { app.openapi("/o", {.title = "t", .version = ""}); }), std::invalid_argument);
  CHECK_THROWS_WITH_AS(serve([](App& app) {
                         app.get("/a", [] {}).operation_id("same");
                         app.get("/b", [] {}).operation_id("same");
                         app.openapi("/o", {.title = "t", .version = "1"});
                       }),
                       doctest::Contains("'same'; the second is /b (openapi_test.cpp:"), std::invalid_argument);
}

TEST_SUITE_END();

}  // namespace volt::http::openapi_test
