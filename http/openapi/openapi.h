// SPDX-License-Identifier: MIT

// OpenApiOptions: options of the OpenAPI 3.1 document of an app, which describes its routes. The descriptions are
// derived from the signatures of the handlers.
//
//   app.openapi("/openapi.json", {.title = "Items", .version = "1.0"});
//   app.openapi_page("/docs");                       // shows the document to people, and sends requests of it
//
//   api.get("/items/{id}", show).summary("One item").responses(Status::gone, "It was deleted");
//   api.tag("items");
//
// For each route the document lists: the parameters, from Path, Query, Header and Cookie; the body, from Json, Form and
// Multipart; the responses, from the handler's result; the possible problems; and the credentials that its middleware
// requires (bearer_auth, api_key_auth, Middleware::requires_credentials). Types have the JSON Schema (2020-12) that
// http/json/json.h reads: an aggregate has a named schema, and its members without a default are required. The
// operationId is made from the method and the path, unless the route sets one.
//
// The document omits hidden routes, routes for every method, and methods that OpenAPI lacks. Of routes that differ only
// by their host it lists the first.
//
// Cost: composed once, before the server listens; each request copies it.
// Errors: composing throws std::invalid_argument for an empty title or version, and for an operationId that was set on
// two routes.
// Threads: a value.
#pragma once

#include <string>
#include <vector>

namespace volt::http {

struct OpenApiOptions {
  std::string title;    // Title of the API.
  std::string version;  // Version of the API: "1.0.0".
  std::string summary = {};
  std::string description = {};           // In CommonMark.
  std::vector<std::string> servers = {};  // URLs, absolute or relative to the document's; empty: "/".
};

}  // namespace volt::http
