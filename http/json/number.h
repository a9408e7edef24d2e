// The text of a JSON number (RFC 8259 section 6), already checked against the grammar, as a value.
//
// Threads: pure functions. Errors: nullopt where the type cannot hold the number.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace volt::http::json {

// Without fraction and exponent: the only numbers that integers take.
bool is_whole(std::string_view number) noexcept;

// `number` is whole. Minus zero is zero.
std::optional<std::int64_t> parse_signed(std::string_view number) noexcept;
std::optional<std::uint64_t> parse_unsigned(std::string_view number) noexcept;

// The nearest value; zero for what is too small to tell from it; nullopt beyond the largest.
std::optional<double> parse_double(std::string_view number) noexcept;
std::optional<float> parse_float(std::string_view number) noexcept;

}  // namespace volt::http::json
