// The leaves of JSON, appended to a string.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace volt::http::json {

// In quotes, escaped as RFC 8259 section 7 asks. What is no UTF-8 becomes U+FFFD, one for each maximal wrong part.
void append_string(std::string_view text, std::string& out);

void append_integer(std::int64_t value, std::string& out);
void append_integer(std::uint64_t value, std::string& out);

// The shortest text that reads back as the same value. NaN and the infinities, which JSON has not, are null.
void append_number(double value, std::string& out);
void append_number(float value, std::string& out);

}  // namespace volt::http::json
