// SPDX-License-Identifier: MIT

#include "http/testing/internal/captured_log.h"

#include <cstdio>
#include <utility>

namespace volt::http::testing {
namespace {

void write_to_stderr(std::string_view lines) { std::fwrite(lines.data(), 1, lines.size(), stderr); }

}  // namespace

std::shared_ptr<Log> CapturedLog::make_log(std::shared_ptr<CapturedLog> captured) {
  LogOptions options;
  options.sink = [captured = std::move(captured)](std::string_view lines) { captured->add(lines); };
  return std::make_shared<Log>(std::move(options));
}

void CapturedLog::add(std::string_view lines) {
  const std::scoped_lock lock(mutex_);
  if (!captures_) return write_to_stderr(lines);
  text_.append(lines);
  if (text_.size() <= kBytesMax) return;
  const std::size_t end = text_.find('\n', text_.size() - kBytesMax - 1);  // whole lines are removed
  text_.erase(0, end == std::string::npos ? end : end + 1);
}

std::string CapturedLog::text() const {
  const std::scoped_lock lock(mutex_);
  return text_;
}

void CapturedLog::print() {
  const std::scoped_lock lock(mutex_);
  captures_ = false;
  write_to_stderr(std::exchange(text_, {}));
}

void CapturedLog::end_capture() noexcept {
  const std::scoped_lock lock(mutex_);
  captures_ = false;
}

}  // namespace volt::http::testing
