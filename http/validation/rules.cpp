// SPDX-License-Identifier: MIT

#include "http/validation/rules.h"

#include <array>
#include <charconv>

namespace volt::http::validation {

std::string number_text(long long number) { return std::to_string(number); }
std::string number_text(unsigned long long number) { return std::to_string(number); }
std::string number_text(double number) {
  std::array<char, 32> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), end};
}

std::string size_sentence(std::size_t min, std::size_t max, bool is_text) {
  const auto counted = [is_text](std::size_t count) {
    const char* const noun = is_text      ? (count == 1 ? " character" : " characters")
                             : count == 1 ? " element"
                                          : " elements";
    return std::to_string(count) + noun;
  };
  if (min == max) return "must have exactly " + counted(min);
  if (min == 0) return "must have at most " + counted(max);
  if (min == 1 && max == kSizeMax) return "must not be empty";
  if (max == kSizeMax) return "must have at least " + counted(min);
  return "must have from " + std::to_string(min) + " to " + counted(max);
}

std::string size_schema(std::size_t min, std::size_t max, bool is_text) {
  const std::string noun = is_text ? "Length\":" : "Items\":";
  std::string schema;
  if (min != 0) schema = "\"min" + noun + std::to_string(min);
  if (max != kSizeMax) schema.append(schema.empty() ? "" : ",").append("\"max" + noun + std::to_string(max));
  return schema;
}

}  // namespace volt::http::validation
