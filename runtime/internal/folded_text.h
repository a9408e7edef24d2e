// SPDX-License-Identifier: MIT

// FoldedText: stacks with a number each as text, one line for each stack, in the "folded" form that flamegraph.pl,
// inferno and speedscope.app read:
//
//   GET /report/{name};shop::report;shop::render;shop::sum 42
//
// Threads: one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace volt {

class FoldedText {
 public:
  // Appends a frame to `line`. `name` must not contain semicolons or line ends, which have a meaning in a line.
  static void append_frame(std::string& line, std::string_view name);
  // Appends the function that contains the address, by its name without parameters.
  void append_function(std::string& line, const void* code) { append_frame(line, name_of(code)); }
  // Appends the functions of a stack, of which the innermost is first, without those of the scheduler around a task.
  void append_stack(std::string& line, std::span<const void* const> stack);

  // Adds to the number of the stack.
  void add(const std::string& line, std::uint64_t number) { numbers_[line] += number; }

  // Returns the lines; that with the largest number comes first.
  [[nodiscard]] std::string text() const;

 private:
  const std::string& name_of(const void* code);

  std::unordered_map<const void*, std::string> names_;
  std::unordered_map<std::string, std::uint64_t> numbers_;
};

}  // namespace volt
