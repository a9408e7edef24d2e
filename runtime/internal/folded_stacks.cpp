// SPDX-License-Identifier: MIT

#include "runtime/internal/folded_stacks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/base/function_name.h"
#include "runtime/internal/short_function_name.h"
#include "runtime/sched/work_class.h"

namespace volt {
namespace {

// The function that runs a task; what is outside it is the same for all samples.
constexpr std::string_view kAroundTasks = "volt::sched::Worker::run";

class Names {
 public:
  // Returns the name of the function as part of a line: semicolons and line ends have a meaning there.
  const std::string& of(const void* code) {
    const auto [found, is_new] = names_.try_emplace(code);
    if (!is_new) return found->second;
    std::string& name = found->second;
    name = short_function_name(base::function_name(code));
    if (name.empty()) name = "unknown function";
    std::ranges::replace_if(name, [](char c) { return c == ';' || c < ' '; }, ':');
    return name;
  }

 private:
  std::unordered_map<const void*, std::string> names_;
};

void append_frame(std::string& line, std::string_view name) {
  if (!line.empty()) line += ';';
  line += name;
}

std::string line_of(const sched::ProfileSample& sample, Names& names) {
  std::string line;
  const std::string_view route = sched::WorkClass::at(sample.task.work_class).name();
  if (!route.empty()) append_frame(line, route);
  if (sample.task.task_code != nullptr) append_frame(line, names.of(sample.task.task_code));
  if (!sample.task.in_task) append_frame(line, "scheduler");
  const auto stack = sample.stack();
  const auto around = std::ranges::find(stack, kAroundTasks, [&](const void* code) { return names.of(code); });
  for (auto i = around - stack.begin(); i-- != 0;) append_frame(line, names.of(stack[static_cast<std::size_t>(i)]));
  return line;
}

}  // namespace

std::string folded_stacks(std::span<const sched::ProfileSamples::Taken> samples) {
  Names names;
  std::unordered_map<std::string, std::uint64_t> counts;
  for (const auto& worker : samples) {
    for (std::size_t i = 0; i != worker.count; ++i) ++counts[line_of(worker.samples[i], names)];
  }
  std::vector<std::pair<std::string, std::uint64_t>> lines(counts.begin(), counts.end());
  std::ranges::sort(
      lines, [](const auto& a, const auto& b) { return std::pair(b.second, a.first) < std::pair(a.second, b.first); });
  std::string text;
  for (const auto& [line, count] : lines) text += line + " " + std::to_string(count) + "\n";
  return text;
}

}  // namespace volt
