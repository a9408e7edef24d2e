// SPDX-License-Identifier: MIT

#include "runtime/internal/folded_text.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "runtime/base/function_name.h"
#include "runtime/internal/short_function_name.h"

namespace volt {
namespace {

// The function that runs a task; what is outside it is the same for all stacks.
constexpr std::string_view kAroundTasks = "volt::sched::Worker::run";

}  // namespace

void FoldedText::append_frame(std::string& line, std::string_view name) {
  if (!line.empty()) line += ';';
  line += name;
}

void FoldedText::append_stack(std::string& line, std::span<const void* const> stack) {
  const auto around = std::ranges::find(stack, kAroundTasks, [&](const void* code) { return name_of(code); });
  for (auto i = around - stack.begin(); i-- != 0;) append_function(line, stack[static_cast<std::size_t>(i)]);
}

const std::string& FoldedText::name_of(const void* code) {
  const auto [found, is_new] = names_.try_emplace(code);
  if (!is_new) return found->second;
  std::string& name = found->second;
  name = short_function_name(base::function_name(code));
  if (name.empty()) name = "unknown function";
  std::ranges::replace_if(name, [](char c) { return c == ';' || c < ' '; }, ':');
  return name;
}

std::string FoldedText::text() const {
  std::vector<std::pair<std::string, std::uint64_t>> lines(numbers_.begin(), numbers_.end());
  std::ranges::sort(
      lines, [](const auto& a, const auto& b) { return std::pair(b.second, a.first) < std::pair(a.second, b.first); });
  std::string text;
  for (const auto& [line, number] : lines) text += line + " " + std::to_string(number) + "\n";
  return text;
}

}  // namespace volt
