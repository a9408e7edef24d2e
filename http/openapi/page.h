// SPDX-License-Identifier: MIT

// The page of App::openapi_page(): it shows an OpenAPI document to people, and sends requests of its operations.
//
//   app.openapi("/openapi.json", {.title = "Items", .version = "1.0"});
//   app.openapi_page("/docs");
//
// One response contains HTML, style and script. The build embeds them from the files in internal/ (cmake/embed.cmake).
// The Content-Security-Policy names the style and the script by their hashes, allows requests to the page's own origin
// only, and forbids the script to turn text into HTML (trusted types): markup in a document is harmless.
//
// Threads: a Page is a value.
#pragma once

#include <string>
#include <string_view>

#include "http/web/response.h"

namespace volt::http::openapi {

struct Page {
  std::string html;
  std::string policy;  // Content-Security-Policy
};

// Composes the page that is served at `page_path` and reads the document at `document_path`. The page refers to the
// document by a relative URL, so that both may lie behind a proxy that removes a prefix. Throws std::invalid_argument
// if `document_path` is empty, or if a path has parameters.
[[nodiscard]] Page compose_page(std::string_view page_path, std::string_view document_path);

[[nodiscard]] Response respond(const Page& page);

}  // namespace volt::http::openapi
