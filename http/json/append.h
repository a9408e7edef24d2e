// SPDX-License-Identifier: MIT

// Appends JSON strings and numbers to a string.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace volt::http::json {

// Appends `text` in quotes, escaped as RFC 8259 section 7 requires. Text that is not UTF-8 is repaired: U+FFFD replaces
// each maximal invalid part.
void append_string(std::string_view text, std::string& out);

void append_integer(std::int64_t value, std::string& out);
void append_integer(std::uint64_t value, std::string& out);

// Appends the shortest text that reads back as an equal value. NaN and the infinities, which JSON lacks, become null.
void append_number(double value, std::string& out);
void append_number(float value, std::string& out);

}  // namespace volt::http::json
