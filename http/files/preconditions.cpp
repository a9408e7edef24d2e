// SPDX-License-Identifier: MIT

#include "http/files/preconditions.h"

#include <string_view>

#include "http/message/http_date.h"

namespace volt::http::files {
namespace {

using std::chrono::sys_seconds;

// Returns the value of a field that may occur only once; nullopt if it is missing or occurs several times. Several
// lines would form a list, which is neither a date nor a tag.
std::optional<std::string_view> only_value(const Fields& fields, std::string_view name) noexcept {
  const auto lines = fields.all(name);
  auto line = lines.begin();
  if (line == lines.end()) return std::nullopt;
  const std::string_view value = *line;
  if (++line != lines.end()) return std::nullopt;
  return value;
}

std::optional<sys_seconds> only_date(const Fields& fields, std::string_view name, sys_seconds now) noexcept {
  const auto value = only_value(fields, name);
  if (!value) return std::nullopt;
  return message::parse_http_date(*value, now);
}

std::optional<Existing> existing(const std::optional<Validators>& current) noexcept {
  if (!current) return std::nullopt;
  return Existing{current->etag};
}

// Returns whether the representation was modified after the date in the field called `name`. Returns nullopt if the
// field has no valid date or the representation has no date.
std::optional<bool> modified_since(const Fields& fields, std::string_view name,
                                   const std::optional<Validators>& current, sys_seconds now) noexcept {
  if (!current || !current->last_modified) return std::nullopt;
  const auto date = only_date(fields, name, now);
  if (!date) return std::nullopt;
  return *current->last_modified > *date;
}

Verdict none_match_verdict(TagMatch match, bool safe) noexcept {
  switch (match) {
    case TagMatch::none:
      return Verdict::proceed;
    case TagMatch::some:
      return safe ? Verdict::not_modified : Verdict::precondition_failed;
    case TagMatch::malformed:
      return safe ? Verdict::proceed : Verdict::precondition_failed;
  }
  return Verdict::precondition_failed;
}

}  // namespace

Verdict evaluate_preconditions(Method method, const Fields& fields, const std::optional<Validators>& current,
                               sys_seconds now) noexcept {
  const bool safe = method == Method::get || method == Method::head;
  if (fields.contains("if-match")) {  // steps 1 and 2 of section 13.2.2
    const TagMatch match = match_tags(fields.all("if-match"), existing(current), strongly_equal);
    if (match != TagMatch::some) return Verdict::precondition_failed;
  } else if (modified_since(fields, "if-unmodified-since", current, now) == true) {
    return Verdict::precondition_failed;
  }
  if (fields.contains("if-none-match")) {  // steps 3 and 4
    return none_match_verdict(match_tags(fields.all("if-none-match"), existing(current), weakly_equal), safe);
  }
  if (safe && modified_since(fields, "if-modified-since", current, now) == false) return Verdict::not_modified;
  return Verdict::proceed;
}

bool range_applies(const Fields& fields, const Validators& current, sys_seconds now) noexcept {
  if (!fields.contains("if-range")) return true;
  const auto value = only_value(fields, "if-range");
  if (!value) return false;
  if (const auto tag = parse_entity_tag(*value)) return current.etag && strongly_equal(*tag, *current.etag);
  const auto date = message::parse_http_date(*value, now);
  return date && current.last_modified == date && *date < now;
}

}  // namespace volt::http::files
