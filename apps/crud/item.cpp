// SPDX-License-Identifier: MIT

#include "apps/crud/item.h"

#include <http/web/problem.h>

#include <algorithm>

namespace crud {
namespace {

constexpr std::size_t kNameBytesMax = 100;
constexpr int kPriceMax = 100'000'000;

bool is_blank(const std::string& name) {
  return std::ranges::all_of(name, [](char c) { return c == ' '; });
}

bool has_controls(const std::string& name) {
  return std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace

void check(const NewItem& item) {
  auto problem = volt::http::unprocessable();
  bool fits = true;
  const auto want = [&](bool holds, const char* member, const char* sentence) {
    if (!holds) problem.invalid(member, sentence);
    fits = fits && holds;
  };
  want(!is_blank(item.name), "/name", "must not be empty");
  want(item.name.size() <= kNameBytesMax, "/name", "must have at most 100 bytes");
  want(!has_controls(item.name), "/name", "must not contain control characters");
  want(item.price >= 0, "/price", "must not be negative");
  want(item.price <= kPriceMax, "/price", "must be at most 100000000");
  if (!fits) throw problem;
}

}  // namespace crud
