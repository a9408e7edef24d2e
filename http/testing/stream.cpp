// SPDX-License-Identifier: MIT

#include "http/testing/stream.h"

#include <charconv>

#include "http/testing/internal/call.h"

namespace volt::http {

TestStream::TestStream(std::unique_ptr<testing::Call> call) : call_(std::move(call)) { call_->await_head(); }
TestStream::TestStream(TestStream&&) noexcept = default;
TestStream& TestStream::operator=(TestStream&&) noexcept = default;
TestStream::~TestStream() = default;

TestStatus TestStream::status() const noexcept { return call_->reader().response().status(); }

std::optional<std::string_view> TestStream::header(std::string_view name) const noexcept {
  return call_->reader().response().header(name);
}

bool TestStream::read_more() {
  if (call_->reader().response().body().empty()) call_->await_more();
  const std::string more = call_->reader().take_body();
  unread_ += more;
  return !more.empty();
}

std::string TestStream::read_some() {
  if (unread_.empty()) read_more();
  return std::exchange(unread_, {});
}

std::string TestStream::read_rest() {
  while (read_more()) {
  }
  return std::exchange(unread_, {});
}

// Accepts LF and CRLF. The standard also allows CR alone, which servers do not write.
std::optional<std::string> TestStream::read_line() {
  std::size_t end = unread_.find('\n');
  while (end == std::string::npos) {
    if (!read_more()) return std::nullopt;
    end = unread_.find('\n');
  }
  std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

std::optional<TestEvent> TestStream::read_event() {
  TestEvent event;
  bool has_data = false;
  while (const std::optional<std::string> line = read_line()) {
    if (line->empty()) {
      if (!has_data) {
        event = {};
        continue;
      }
      event.data.pop_back();
      event.id = last_event_id_;
      return event;
    }
    const std::size_t colon = std::min(line->find(':'), line->size());
    const std::string_view name = std::string_view(*line).substr(0, colon);
    std::string_view value = std::string_view(*line).substr(std::min(colon + 1, line->size()));
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "event") event.type = value;
    if (name == "id") last_event_id_ = value;
    if (name == "data") {
      event.data.append(value).append("\n");
      has_data = true;
    }
    if (name == "retry") {
      int milliseconds = 0;
      std::from_chars(value.data(), value.data() + value.size(), milliseconds);
      event.retry = std::chrono::milliseconds(milliseconds);
    }
  }
  return std::nullopt;
}

bool TestStream::quiet() {
  call_->harness().settle();
  return unread_.empty() && call_->reader().response().body().empty() && !call_->step() && !call_->over();
}

bool TestStream::complete() const noexcept { return call_->reader().done(); }

std::optional<std::string_view> TestStream::trailer(std::string_view name) const noexcept {
  return call_->reader().response().trailer(name);
}

void TestStream::close() noexcept { call_->close(); }

}  // namespace volt::http
