// SPDX-License-Identifier: MIT

// The keys of cached responses: the URI of the request, and the values of the fields that the response depends on.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/web/request.h"

namespace volt::http::middleware {

// Returns the key of the request's URI: scheme, host, path and query. Of the query only the parameters in `chosen`
// count, or all if it is empty; they are sorted by name, because their order among different names has no meaning.
// Names are decoded before they are compared, so that `p%61ge=2` is the parameter `page`.
[[nodiscard]] std::string uri_key(const Request& request, const std::optional<std::vector<std::string>>& chosen);

// Returns the path in one spelling. The router compares segments decoded, and may ignore a slash at the end, so that a
// path has several: "/items/%37" and "/items/7/" become "/items/7". Another text stays as it is.
[[nodiscard]] std::string canonical_path(std::string_view path);

// Returns the request's values of these fields as one text, `name: value` per line: equal texts select one stored
// response (RFC 9111 section 4.1). Values are normalized: white space around commas is removed, and fields whose values
// are case-insensitive (Accept, Accept-Charset, Accept-Encoding, Accept-Language) are put in lower case. Of
// Accept-Encoding only the codings that Volt applies count, each with its weight.
[[nodiscard]] std::string vary_key(const Request& request, const std::vector<std::string>& names);

}  // namespace volt::http::middleware
