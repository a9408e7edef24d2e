// SPDX-License-Identifier: MIT

#include "tracing/open_span.h"

#include <algorithm>
#include <new>
#include <type_traits>
#include <utility>

namespace volt::tracing {

OpenSpan::OpenSpan(Tracer& tracer, const SpanContext& context, std::string_view name, SpanKind kind)
    : tracer_(tracer), start_(std::chrono::steady_clock::now()) {
  data_.context = context;
  data_.kind = kind;
  data_.start = std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
  data_.name = cut(name);
}

void OpenSpan::set_parent(const SpanId& parent, bool is_remote) noexcept {
  data_.parent = parent;
  data_.parent_is_remote = is_remote;
}

void OpenSpan::set_trace_state(std::string_view state) { data_.trace_state = state; }

// Does not cut through a character of UTF-8.
std::string_view OpenSpan::cut(std::string_view text) const noexcept {
  std::size_t end = std::min(text.size(), tracer_.options().text_bytes_max);
  while (end != text.size() && end != 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end);
}

StoredAttribute OpenSpan::stored(const Attribute& attribute) const {
  StoredAttribute made{.key = std::string(cut(attribute.key)), .value = false};
  std::visit(
      [&](const auto& value) {
        if constexpr (std::is_same_v<decltype(value), const std::string_view&>) {
          made.value.emplace<std::string>(cut(value));
        } else {
          made.value = value;
        }
      },
      attribute.value);
  return made;
}

void OpenSpan::rename(std::string_view name) noexcept {
  const std::scoped_lock lock(mutex_);
  if (ended_) return;
  try {
    data_.name = cut(name);
  } catch (const std::bad_alloc&) {  // decided: the span keeps its name
  }
}

void OpenSpan::set(const Attribute& attribute) noexcept {
  const std::scoped_lock lock(mutex_);
  if (ended_) return;
  try {
    const auto old = std::ranges::find(data_.attributes, attribute.key, &StoredAttribute::key);
    if (old != data_.attributes.end()) {
      *old = stored(attribute);
    } else if (data_.attributes.size() < tracer_.options().attributes_max) {
      data_.attributes.push_back(stored(attribute));
    } else {
      ++data_.dropped_attributes;
    }
  } catch (const std::bad_alloc&) {  // decided: the attribute is lost, and the request is not
    ++data_.dropped_attributes;
  }
}

void OpenSpan::add_event(std::string_view name, std::span<const Attribute> attributes) noexcept {
  const std::scoped_lock lock(mutex_);
  if (ended_) return;
  if (data_.events.size() >= tracer_.options().events_max) {
    ++data_.dropped_events;
    return;
  }
  try {
    SpanEvent event{.name = std::string(cut(name)),
                    .time = data_.start + (std::chrono::steady_clock::now() - start_),
                    .attributes = {}};
    for (const Attribute& attribute : attributes.first(std::min(attributes.size(), tracer_.options().attributes_max))) {
      event.attributes.push_back(stored(attribute));
    }
    data_.events.push_back(std::move(event));
  } catch (const std::bad_alloc&) {  // decided: the event is lost, and the request is not
    ++data_.dropped_events;
  }
}

void OpenSpan::set_status(SpanStatus status, std::string_view message) noexcept {
  const std::scoped_lock lock(mutex_);
  if (!ended_) set_status_locked(status, message);
}

void OpenSpan::set_exception_status() noexcept {
  const std::scoped_lock lock(mutex_);
  if (!ended_ && data_.status == SpanStatus::unset) set_status_locked(SpanStatus::error, "ended by an exception");
}

void OpenSpan::set_status_locked(SpanStatus status, std::string_view message) noexcept {
  data_.status = status;
  try {
    data_.status_message = cut(message);
  } catch (const std::bad_alloc&) {  // decided: the status has no message
    data_.status_message.clear();
  }
}

void OpenSpan::end() noexcept {
  const std::scoped_lock lock(mutex_);
  if (ended_) return;
  ended_ = true;
  data_.end = data_.start + (std::chrono::steady_clock::now() - start_);
  tracer_.finish(std::move(data_));
}

}  // namespace volt::tracing
