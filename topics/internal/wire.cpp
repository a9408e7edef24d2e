// SPDX-License-Identifier: MIT

#include "topics/internal/wire.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <span>
#include <system_error>
#include <utility>

#include "crypto/random.h"

namespace volt::topics::internal {
namespace {

// Takes a number and the space behind it.
bool take_number(std::string_view& text, std::uint64_t& number) noexcept {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto digits = static_cast<std::size_t>(read.ptr - text.data());
  if (read.ec != std::errc() || digits == text.size() || text[digits] != ' ') return false;
  text.remove_prefix(digits + 1);
  return true;
}

}  // namespace

std::optional<Announcement> parse_announcement(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'm' && text[0] != 'j' && text[0] != 'l') || text[1] != ' ') return std::nullopt;
  Announcement announcement{.kind = text[0], .topic = {}, .rest = {}};
  text.remove_prefix(2);
  std::uint64_t topic_bytes = 0;
  const bool numbers = take_number(text, announcement.first) && take_number(text, announcement.sequence) &&
                       take_number(text, topic_bytes);
  if (!numbers || topic_bytes >= text.size()) return std::nullopt;
  announcement.topic = text.substr(0, topic_bytes);
  text.remove_prefix(topic_bytes);
  if (text[0] == '+') announcement.rest = text.substr(1);
  const bool complete = announcement.rest || (text == "-" && announcement.kind == 'm');
  return complete ? std::optional(std::move(announcement)) : std::nullopt;
}

Task<> pass_on(Announcement announcement, http::TopicBackend& backend, http::TopicSink& sink) {
  if (!sink.wants(announcement.topic)) co_return;
  if (announcement.kind != 'm') {
    sink.announce(announcement.topic, *announcement.rest, announcement.kind == 'j', announcement.first);
    co_return;
  }
  if (announcement.rest) {
    const http::TopicPosition position{.epoch = static_cast<std::uint32_t>(announcement.first),
                                       .sequence = announcement.sequence};
    http::TopicRecord record{.position = position, .data = *std::move(announcement.rest)};
    co_return co_await sink.deliver(std::move(announcement.topic), std::move(record));
  }
  http::TopicHistory history = co_await backend.history(announcement.topic, announcement.sequence - 1);
  for (http::TopicRecord& record : history.records) co_await sink.deliver(announcement.topic, std::move(record));
}

std::string random_process_name() {
  std::array<std::byte, 16> bytes;
  crypto::fill_random(bytes);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name;
  for (const std::byte one : bytes) {
    name.push_back(kDigits[std::to_integer<std::size_t>(one >> 4)]);
    name.push_back(kDigits[std::to_integer<std::size_t>(one & std::byte{0xf})]);
  }
  return name;
}

std::uint32_t random_epoch() noexcept {
  std::uint32_t epoch = 0;
  crypto::fill_random(std::as_writable_bytes(std::span(&epoch, 1)));
  return epoch;
}

}  // namespace volt::topics::internal
