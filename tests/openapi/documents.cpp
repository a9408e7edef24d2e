// SPDX-License-Identifier: MIT

// Prints the OpenAPI documents of the example programs and of a service that uses every feature; one line each, after
// the name of the program.
#include <http/http.h>
#include <http/middleware/access.h>
#include <http/middleware/auth.h>
#include <http/openapi/openapi.h>

#include <array>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "apps/chat/chat.h"
#include "apps/crud/service.h"
#include "apps/crud/sqlite_store.h"
#include "apps/files/files.h"
#include "apps/sse/sse.h"

namespace {

namespace http = volt::http;
using volt::Task;

enum class Colour : std::uint8_t { red, green };

struct Circle {
  double radius = 1;
};
struct Square {
  double side;
};
struct Tree {
  std::unique_ptr<Tree> parent;
  std::vector<Tree> children;
};
struct Shapes {
  Colour colour = Colour::red;
  std::variant<Circle, Square> shape;
  std::variant<std::monostate, int, std::string> either;
  std::optional<Tree> tree;
  std::map<std::string, std::vector<Square>> by_name;
  std::array<std::uint8_t, 3> rgb;
  std::pair<int, std::string> pair;
};
struct Problem {  // Has the name of the framework's schema.
  int number;
};
struct Search {
  std::optional<Colour> colour;
  std::vector<std::string> tags;
  char sign = '+';
  std::uint64_t after = 0;
};
struct Login {
  std::string name;
  std::optional<int> pin;
};

http::App everything() {
  http::App app;
  auto tenants = app.group("/tenants/{tenant}");
  tenants.use(http::bearer_auth([](std::string_view) { return std::optional(1); }));
  tenants.get("/shapes/{id}", [](http::Path<int>, http::Query<Search>) { return std::optional<Shapes>(); })
      .summary("\"One\"\n shape")
      .description("A *shape*.")
      .responses(http::Status::gone, "It was deleted");
  tenants.put("/shapes/{key}", [](http::Path<int>, http::Json<Shapes>) { return std::variant<Problem, Circle>(); });
  tenants.post("/shapes", [](http::Json<Shapes> in) { return http::Created<Shapes>(*std::move(in)); }).deprecated();
  tenants.get("", [](http::Path<std::string, "tenant"> name, http::Header<"x-a", int>,
                     http::Cookie<"c", std::optional<std::string>>) { return *name; });
  app.use(http::basic_auth([](const http::BasicCredentials&) { return std::optional(1L); }));
  app.post("/login", [](http::Form<Login>) {}).tag("users").tag("sessions");
  auto keyed = app.group("/keyed");
  keyed.use(http::api_key_auth([](std::string_view) { return std::optional(1); }),
            http::permit<int>([](int) { return true; }));
  keyed.get("", [] {});
  app.post("/upload", [](http::Multipart) { return http::Status::accepted; });
  app.put("/blob/{rest...}", [](http::BodyStream) { return http::redirect("/"); });
  app.get("/events", [](http::EventStream&) -> Task<> { co_return; }).operation_id("events");
  app.ws("/talk", [](http::WebSocket&) -> Task<> { co_return; });
  app.get("/", [] { return "text"; });
  app.get("/again", [] { return http::File("again"); });
  app.get("/ag/ain", [] { return http::Response(); });
  return app;
}

void print(const std::string& name, const http::App& app) {
  std::cout << name << ' ' << app.openapi({.title = name, .version = "1", .servers = {"/", "https://a.example"}})
            << '\n';
}

}  // namespace

int main() {
  print("everything", everything());
  print("crud", crud::make_app(crud::open_sqlite(":memory:")));
  print("chat", chat::make_app());
  print("sse", sse::make_app());
  print("files", files::make_app({.folder = ".", .uploads = "."}));
  return 0;
}
