// The OpenAPI 3.1 document of an app: its routes, and what the signatures of their handlers say.
//
//   app.openapi("/openapi.json", {.title = "Items", .version = "1.0"});
//
//   api.get("/items/{id}", show).summary("One item").responses(Status::gone, "It was deleted");
//   api.tag("items");
//
// Of each route: its parameters, from Path, Query, Header and Cookie; its body, from Json, Form and Multipart; its responses,
// from the result; the problems that these may end in; what the middleware around it wants to know (bearer_auth,
// basic_auth, Middleware::requires_credentials). Types have the schema (JSON Schema 2020-12) of what http/json/json.h reads: an aggregate
// has a name, of its members those without a default are required. The operationId is the method and the path,
// unless the route has another.
//
// Left out: hidden routes, those for every method, and methods that OpenAPI lacks; of routes that differ by their host
// only, all but the first.
//
// Cost: composed once, before the server listens; a request copies it.
// Errors: std::invalid_argument when it is composed, for an empty title or version, and for an operationId that two routes
// were given.
// Threads: a value.
#pragma once

#include <string>
#include <vector>

namespace volt::http {

struct OpenApiOptions {
  std::string title;    // of the API
  std::string version;  // of the API: "1.0.0"
  std::string summary = {};
  std::string description = {};           // CommonMark
  std::vector<std::string> servers = {};  // URLs, absolute or relative to the document's; none: "/"
};

}  // namespace volt::http
