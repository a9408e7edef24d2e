// SPDX-License-Identifier: MIT

#include <algorithm>

#include "runtime/log.h"
#include "runtime/log_context.h"
#include "runtime/log_line.h"

namespace volt {

std::string_view to_string(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
    case LogLevel::error:
      return "error";
    case LogLevel::off:
      break;
  }
  return "off";
}

namespace {

constexpr std::size_t kTextBytesMax = 1536;  // maximum size of one value, which leaves room for further values
constexpr std::size_t kEndBytes = 2;         // the size of "}\n"
constexpr std::size_t kValueBytesMin = 32;   // room for any number, or for a useful part of a text

bool is_bare(std::string_view text) noexcept {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f' && c != '"' && c != '\\' && c != '='; });
}

class Composer {
 public:
  Composer(LogFormat format, LogLine& line) noexcept : json_(format == LogFormat::json), line_(line) {}

  void field(std::string_view name, const LogValue& value) noexcept {
    if (name.size() + kValueBytesMin + kEndBytes > room()) return;
    line_.add(json_ ? ",\"" : " ").add(name).add(json_ ? "\":" : "=");
    std::visit([this](const auto& any) { add(any); }, value.any());
  }

  // Adds a text value, in quotes if the format or its characters require them.
  void add(std::string_view text) noexcept {
    if (!json_ && is_bare(text) && text.size() + kEndBytes <= room()) {
      line_.add(text.substr(0, kTextBytesMax));
      return;
    }
    line_.add("\"").add_escaped(text, std::min(kTextBytesMax, room() - kEndBytes - 1)).add("\"");
  }

 private:
  std::size_t room() const noexcept { return LogLine::kBytesMax - line_.view().size(); }

  void add(std::nullptr_t) noexcept { line_.add(json_ ? "null" : "-"); }
  void add(bool fact) noexcept { line_.add(fact ? "true" : "false"); }
  void add(std::uint64_t number) noexcept { line_.add(number); }
  void add(std::int64_t number) noexcept {
    const auto bits = static_cast<std::uint64_t>(number);
    if (number < 0) line_.add("-");
    line_.add(number < 0 ? 0 - bits : bits);
  }
  void add(std::chrono::microseconds duration) noexcept {
    if (duration.count() < 0) line_.add("-");
    line_.add_decimal(static_cast<std::uint64_t>(duration.count() < 0 ? -duration.count() : duration.count()));
  }

  const bool json_;
  LogLine& line_;
};

// Adds the fields of a context, but none with a name that the entry has already.
class ContextFields final : public LogContext::Fields {
 public:
  ContextFields(Composer& composer, std::span<const LogField> fields) noexcept : composer_(composer), fields_(fields) {}

  void add(std::string_view name, const LogValue& value) noexcept override {
    if (std::ranges::find(fields_, name, &LogField::name) == fields_.end()) composer_.field(name, value);
  }

 private:
  Composer& composer_;
  const std::span<const LogField> fields_;
};

}  // namespace

void compose(const LogEntry& entry, LogFormat format, LogLine& line) noexcept {
  Composer composer(format, line);
  switch (format) {
    case LogFormat::text:
      line.add_rfc3339(entry.time).add(" ").add(to_string(entry.level)).add(" ");
      line.add_escaped(entry.message, kTextBytesMax);
      break;
    case LogFormat::logfmt:
      line.add("time=").add_rfc3339(entry.time).add(" level=").add(to_string(entry.level)).add(" msg=");
      composer.add(entry.message);
      break;
    case LogFormat::json:
      line.add("{\"time\":\"").add_rfc3339(entry.time).add("\",\"level\":\"").add(to_string(entry.level));
      line.add("\",\"msg\":");
      composer.add(entry.message);
      break;
  }
  for (const LogField& field : entry.fields) composer.field(field.name, field.value);
  if (!entry.module.empty()) composer.field("module", entry.module);
  if (entry.context != nullptr) {
    ContextFields fields(composer, entry.fields);
    entry.context->add_fields(fields);
  }
  line.add(format == LogFormat::json ? "}\n" : "\n");
}

}  // namespace volt
