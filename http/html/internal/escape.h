// SPDX-License-Identifier: MIT

// Writes text into HTML, so that a browser reads the same text again.
//
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace volt::http::html {

// Escapes & < > " and ', which is right between tags, in <title> and <textarea>, and between quotes in a tag.
void append_text(std::string_view text, std::string& out);

// For the begin of an address: writes `about:invalid` instead of an address whose scheme is not http, https, mailto or
// tel, because a browser would run a javascript: address as a script (WHATWG HTML, section 7.4.2.3.2).
void append_address(std::string_view address, std::string& out);

// For JSON in a <script>: escapes < > & and the line separators of JavaScript within the strings of `json`.
void append_script_json(std::string_view json, std::string& out);

}  // namespace volt::http::html
