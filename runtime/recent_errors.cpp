// SPDX-License-Identifier: MIT

#include "runtime/recent_errors.h"

#include <new>
#include <string_view>
#include <utility>
#include <variant>

#include "runtime/log_context.h"
#include "runtime/log_line.h"

namespace volt {
namespace {

// Finds the fields by which an error is listed.
class ListedFields final : public LogContext::Fields {
 public:
  explicit ListedFields(LoggedError& error) noexcept : error_(error) {}
  void add(std::string_view name, const LogValue& value) noexcept override {
    const auto* const text = std::get_if<std::string_view>(&value.any());
    if (text == nullptr) return;
    std::string* const into = name == "pattern" ? &error_.pattern : name == "request_id" ? &error_.request_id : nullptr;
    if (into == nullptr || !into->empty()) return;
    try {
      *into = text->substr(0, RecentErrors::kTextBytesMax);
    } catch (const std::bad_alloc&) {  // decided: the error is listed without this field
    }
  }

 private:
  LoggedError& error_;
};

// Returns the line of an entry without its time and its level.
std::string text_of(const LogEntry& entry) {
  std::vector<LogField> fields;
  for (const LogField& field : entry.fields) {
    if (field.name != "path") fields.push_back(field);
  }
  LogLine line;
  compose({.time = entry.time,
           .level = entry.level,
           .message = entry.message,
           .fields = fields,
           .module = entry.module,
           .context = entry.context},
          LogFormat::text, line);
  std::string_view text = line.view();
  for (int words = 0; words != 2; ++words) text.remove_prefix(text.find(' ') + 1);
  if (text.ends_with('\n')) text.remove_suffix(1);
  return std::string(text.substr(0, RecentErrors::kTextBytesMax));
}

}  // namespace

void RecentErrors::add(const LogEntry& entry, std::string_view module) noexcept {
  try {
    LoggedError error{
        .time = entry.time, .module = std::string(module), .text = text_of(entry), .pattern = {}, .request_id = {}};
    ListedFields listed(error);
    for (const LogField& field : entry.fields) listed.add(field.name, field.value);
    if (entry.context != nullptr) entry.context->add_fields(listed);
    const std::scoped_lock lock(mutex_);
    errors_.push_back(std::move(error));
    if (errors_.size() > kKept) errors_.pop_front();
  } catch (const std::bad_alloc&) {  // decided: the list is incomplete; the line itself is written
  }
}

std::vector<LoggedError> RecentErrors::list() const {
  const std::scoped_lock lock(mutex_);
  return {errors_.rbegin(), errors_.rend()};
}

}  // namespace volt
