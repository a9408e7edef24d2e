// SPDX-License-Identifier: MIT

#include "runtime/internal/folded_stacks.h"

#include <cstddef>
#include <string_view>

#include "runtime/internal/folded_text.h"
#include "runtime/sched/work_class.h"

namespace volt {
namespace {

std::string line_of(const sched::ProfileSample& sample, FoldedText& folded) {
  std::string line;
  const std::string_view route = sched::WorkClass::at(sample.task.work_class).name();
  if (!route.empty()) FoldedText::append_frame(line, route);
  if (sample.task.task_code != nullptr) folded.append_function(line, sample.task.task_code);
  if (!sample.task.in_task) FoldedText::append_frame(line, "scheduler");
  folded.append_stack(line, sample.stack());
  return line;
}

}  // namespace

std::string folded_stacks(std::span<const sched::ProfileSamples::Taken> samples) {
  FoldedText folded;
  for (const auto& worker : samples) {
    for (std::size_t i = 0; i != worker.count; ++i) folded.add(line_of(worker.samples[i], folded), 1);
  }
  return folded.text();
}

}  // namespace volt
