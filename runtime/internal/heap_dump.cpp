// SPDX-License-Identifier: MIT

#include "runtime/internal/heap_dump.h"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/internal/folded_text.h"

namespace volt {
namespace {

// Takes `expected` from the beginning of `text`, if it is there.
bool take(std::string_view& text, std::string_view expected) noexcept {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

// Takes a number from the beginning of `text`, if there is one.
std::optional<std::uint64_t> take_number(std::string_view& text, int base = 10) noexcept {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// "@ 0x4010 0x4020": the innermost function is first. An address is the one to which the call returns, so it may be
// beyond the end of a function that ends with the call.
std::optional<std::vector<const void*>> stack_of(std::string_view line) {
  std::vector<const void*> stack;
  if (!take(line, "@")) return std::nullopt;
  while (take(line, " 0x")) {
    const auto address = take_number(line, 16);
    if (!address || *address == 0) return std::nullopt;
    stack.push_back(reinterpret_cast<const void*>(static_cast<std::uintptr_t>(*address - 1)));
  }
  return line.empty() ? std::optional(std::move(stack)) : std::nullopt;
}

// "  t*: 13: 6688 [0: 0]": objects and bytes of all threads that were sampled, and are in use.
std::optional<std::uint64_t> bytes_of(std::string_view line, std::uint64_t interval) {
  if (!take(line, "  t*: ")) return std::nullopt;
  const auto objects = take_number(line);
  if (!objects || !take(line, ": ")) return std::nullopt;
  const auto bytes = take_number(line);
  if (!bytes) return std::nullopt;
  if (*objects == 0 || *bytes == 0) return 0;
  const double average = static_cast<double>(*bytes) / static_cast<double>(*objects);
  return static_cast<std::uint64_t>(
      std::llround(static_cast<double>(*bytes) / -std::expm1(-average / static_cast<double>(interval))));
}

// Returns where the program or library is loaded that contains the address; null if none does.
const void* module_of(const void* code) noexcept {
  Dl_info info{};
  return code != nullptr && ::dladdr(code, &info) != 0 ? info.dli_fbase : nullptr;
}

}  // namespace

std::optional<std::string> folded_heap(std::string_view dump, const void* allocator) {
  if (!take(dump, "heap_v2/")) return std::nullopt;
  const auto interval = take_number(dump);
  if (!interval || *interval == 0 || !take(dump, "\n")) return std::nullopt;
  const void* library = module_of(allocator);
  if (library == module_of(reinterpret_cast<const void*>(&folded_heap))) library = nullptr;

  FoldedText folded;
  std::vector<const void*> stack;
  bool has_stack = false;  // the next line with numbers is that of `stack`; the first is that of all stacks together
  for (const auto part : dump | std::views::split('\n')) {
    const std::string_view line(part.begin(), part.end());
    if (line.starts_with("MAPPED_LIBRARIES")) break;
    if (line.starts_with('@')) {
      auto found = stack_of(line);
      if (!found) return std::nullopt;
      stack = *std::move(found);
      has_stack = true;
    } else if (has_stack && line.starts_with("  t*: ")) {
      const auto bytes = bytes_of(line, *interval);
      if (!bytes) return std::nullopt;
      has_stack = false;
      const auto is_allocator = [&](const void* code) { return library != nullptr && module_of(code) == library; };
      const auto outside = std::ranges::find_if_not(stack, is_allocator) - stack.begin();
      std::string text;
      folded.append_stack(text, std::span<const void* const>(stack).subspan(static_cast<std::size_t>(outside)));
      if (!text.empty() && *bytes != 0) folded.add(text, *bytes);
    }
  }
  return folded.text();
}

}  // namespace volt
