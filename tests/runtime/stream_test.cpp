// SPDX-License-Identifier: MIT

// The algorithms of streams, and layers over them.
#include "runtime/stream.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/concurrent.h"
#include "runtime/forwarding_stream.h"
#include "runtime/runtime.h"
#include "runtime/unix.h"
#include "tests/support/engine.h"

namespace volt {
namespace {

using namespace std::chrono_literals;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// A layer that has read ahead, as TLS does: its bytes are not in the socket below any more.
class ReadAhead final : public ForwardingStream {
 public:
  ReadAhead(Stream& below, std::string ahead) : ForwardingStream(below), ahead_(std::move(ahead)) { expect_more(); }

  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept override {
    if (ahead_.empty()) return ForwardingStream::try_read(into);
    const std::size_t count = std::min(into.size(), ahead_.size());
    std::ranges::copy(bytes_of(ahead_).first(count), into.begin());
    ahead_.erase(0, count);
    return count;
  }

 private:
  std::string ahead_;
};

Task<std::string> read_exactly(Stream& stream, std::size_t size) {
  std::string text(size, '\0');
  std::span<std::byte> room = std::as_writable_bytes(std::span(text));
  while (!room.empty()) {
    const Result<std::size_t> count = co_await stream.read(room.first(std::min<std::size_t>(room.size(), 2)));
    if (!count || *count == 0) co_return "ended";
    room = room.subspan(*count);
  }
  co_return text;
}

// Closes the sending end after the last byte.
Task<> write_rest(Stream& stream, std::span<const std::byte> rest) {
  const Result<void> written = co_await stream.write_all(rest);
  CHECK(written.has_value());
  stream.shutdown_write();
}

Task<std::string> read_to_end(Stream& stream) {
  std::string all;
  std::string piece(64 * 1024, '\0');
  for (;;) {
    const Result<std::size_t> count = co_await stream.read(std::as_writable_bytes(std::span(piece)));
    if (!count || *count == 0) co_return all;
    all.append(piece, 0, *count);
  }
}

}  // namespace

TEST_SUITE_BEGIN("runtime/stream");

TEST_CASE("a write that is cancelled leaves the bytes that were not written") {
  Runtime runtime(test_options());
  runtime.block_on([]() -> Task<> {
    auto ends = UnixStream::pair().value();
    std::string text(3'000'000, '\0');
    for (std::size_t i = 0; i != text.size(); ++i) text[i] = static_cast<char>('a' + i % 23);
    std::span<const std::byte> left = bytes_of(text);
    const auto written = co_await within(5ms, [&] { return ends.first.write_and_advance(left); });
    CHECK_FALSE(written.has_value());
    CHECK(left.size() < text.size());
    REQUIRE(left.size() > 0);
    const auto received =
        co_await all([&] { return write_rest(ends.first, left); }, [&] { return read_to_end(ends.second); });
    CHECK((std::get<1>(received) == text));
  });
}

TEST_CASE("a wait that is interrupted in advance fails once and consumes nothing") {
  Runtime runtime(test_options());
  runtime.block_on([]() -> Task<> {
    auto ends = UnixStream::pair().value();
    CHECK(ends.first.try_write(bytes_of("ab")) == std::size_t{2});
    const Result<void> interruption = co_await ends.second.interrupted_readable();
    CHECK(interrupted(interruption));
    const std::string text = co_await read_exactly(ends.second, 2);
    CHECK(text == "ab");
  });
}

TEST_CASE("a wait for a layer ends at once while the layer holds bytes") {
  Runtime runtime(test_options());
  runtime.block_on([]() -> Task<> {
    auto ends = UnixStream::pair().value();
    ReadAhead layer(ends.second, "abcde");
    layer.set_read_deadline_in(5s);
    const std::string ahead = co_await read_exactly(layer, 5);
    CHECK(ahead == "abcde");
    layer.set_read_deadline_in(1ms);
    std::byte byte{};
    const Result<std::size_t> nothing = co_await layer.read({&byte, 1});
    CHECK(timed_out(nothing));
    layer.set_read_deadline_in(kNoDeadline);
    CHECK(ends.first.try_write(bytes_of("fg")) == std::size_t{2});
    const std::string from_below = co_await read_exactly(layer, 2);
    CHECK(from_below == "fg");
  });
}

TEST_SUITE_END();

}  // namespace volt
