// SPDX-License-Identifier: MIT

#include "http/middleware/internal/encoded_body.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "http/transport/page_cache.h"

namespace volt::http::middleware {
namespace {

using coding::Encoder;

constexpr std::size_t kSliceBytes = 64 * 1024;  // encoded before the result is written; takes at most some milliseconds

class EncodingWriter final : public BodyWriter {
 public:
  EncodingWriter(BodyWriter& out, Encoder& encoder, bool flush_each_event) noexcept
      : out_(out), encoder_(encoder), flush_each_event_(flush_each_event) {}

  [[nodiscard]] Task<> write(std::string_view data) override {
    require_complete();
    const bool ends_event = flush_each_event_ && data.ends_with("\n\n");
    while (!data.empty()) {
      const std::string_view slice = data.substr(0, kSliceBytes);
      data.remove_prefix(slice.size());
      encode(slice);
      if (ends_event && data.empty()) release();
      incomplete_ = !data.empty();
      co_await pass_on();
    }
    incomplete_ = false;
  }

  [[nodiscard]] Task<> flush() override {
    if (holds_back_) release();
    co_await pass_on();
    co_await out_.flush();
  }

  [[nodiscard]] Task<> write_file(int fd, std::uint64_t offset, std::uint64_t size) override {
    require_complete();
    incomplete_ = true;
    const auto buffer = std::make_unique_for_overwrite<char[]>(kSliceBytes);
    while (size != 0) {
      const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size, kSliceBytes));
      if (disk_wait(fd, offset + wanted - 1) != DiskWait::no) co_await fetch_from_disk(fd, offset, wanted);
      const ssize_t count = ::pread(fd, buffer.get(), wanted, static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw std::system_error(errno, std::system_category(), "pread");
      if (count == 0) {
        throw std::system_error(std::make_error_code(std::errc::io_error), "the file was truncated while it was sent");
      }
      offset += static_cast<std::uint64_t>(count);
      size -= static_cast<std::uint64_t>(count);
      encode({buffer.get(), static_cast<std::size_t>(count)});
      co_await pass_on();
      co_await yield();
    }
    incomplete_ = false;
  }

  void trailer(std::string_view name, std::string_view value) override { out_.trailer(name, value); }
  [[nodiscard]] Task<> until_closing() override { return out_.until_closing(); }

  // Throws if a write did not finish, as BodySender::finish() does.
  [[nodiscard]] Task<> finish() {
    require_complete();
    encoder_.finish(coded_);
    return pass_on();
  }

 private:
  void encode(std::string_view slice) {
    encoder_.update(slice, coded_);
    holds_back_ = true;
  }

  // Flushes the encoder: all bytes so far become decodable.
  void release() {
    encoder_.flush(coded_);
    holds_back_ = false;
  }

  // If the write is cancelled, `out_` knows whether it has taken all of the bytes; they must not be written again.
  [[nodiscard]] Task<> pass_on() {
    if (coded_.empty()) co_return;
    try {
      co_await out_.write(coded_);
    } catch (...) {
      coded_.clear();
      throw;
    }
    coded_.clear();
  }

  void require_complete() const {
    if (incomplete_) throw std::runtime_error("a write did not finish, so the body is incomplete");
  }

  BodyWriter& out_;
  Encoder& encoder_;
  bool flush_each_event_;
  bool holds_back_ = false;
  bool incomplete_ = false;  // a write has not passed on all of its data
  std::string coded_;
};

}  // namespace

// If the body throws, its encoder is destroyed rather than returned to the pool.
Task<> EncodedBody::write_to(BodyWriter& out) {
  std::unique_ptr<Encoder> encoder = encoders_.take(coding_);
  EncodingWriter writer(out, *encoder, flush_each_event_);
  co_await plain_->write_to(writer);
  co_await writer.finish();
  encoders_.give_back(std::move(encoder));
}

}  // namespace volt::http::middleware
