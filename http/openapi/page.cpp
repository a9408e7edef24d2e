// SPDX-License-Identifier: MIT

#include "http/openapi/page.h"

#include <algorithm>
#include <stdexcept>

#include "crypto/base64.h"
#include "crypto/digest.h"

namespace volt::http::openapi {
namespace {

constexpr std::string_view kHtml =
#include <http/openapi/internal/page.html.inc>
    ;
constexpr std::string_view kStyle =
#include <http/openapi/internal/page.css.inc>
    ;
constexpr std::string_view kScript =
#include <http/openapi/internal/page.js.inc>
#include <http/openapi/internal/try_it.js.inc>
    ;

void insert_after(std::string& html, std::string_view mark, std::string_view text) {
  html.insert(html.find(mark) + mark.size(), text);
}

std::string hash_source(std::string_view text) {
  return "'sha256-" + crypto::base64_encode(crypto::sha256(text)) + "'";
}

std::string escape_attribute(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string relative_url(std::string_view page_path, std::string_view document_path) {
  std::string url = "./";
  for (auto steps = std::ranges::count(page_path.substr(1), '/'); steps != 0; --steps) url += "../";
  return url.append(document_path.substr(1));
}

}  // namespace

Page compose_page(std::string_view page_path, std::string_view document_path) {
  if (document_path.empty()) {
    throw std::invalid_argument("app.openapi_page(\"" + std::string(page_path) +
                                "\") needs a document: add one with app.openapi()");
  }
  for (const std::string_view path : {page_path, document_path}) {
    if (path.contains('{')) {
      throw std::invalid_argument("the path of an OpenAPI page and of its document must have no parameters: " +
                                  std::string(path));
    }
  }
  Page page{.html = std::string(kHtml), .policy = "default-src 'none'; script-src " + hash_source(kScript)};
  page.policy += "; style-src " + hash_source(kStyle);
  page.policy +=
      "; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
      "require-trusted-types-for 'script'; trusted-types 'none'";
  insert_after(page.html, "<script>", kScript);
  insert_after(page.html, "<style>", kStyle);
  insert_after(page.html, R"(name="openapi" content=")", escape_attribute(relative_url(page_path, document_path)));
  return page;
}

Response respond(const Page& page) {
  return Response::html(page.html)
      .header("Content-Security-Policy", page.policy)
      .header("X-Content-Type-Options", "nosniff")
      .header("Referrer-Policy", "no-referrer")
      .header("Cache-Control", "no-cache");
}

}  // namespace volt::http::openapi
