#include "http/server/internal/body_sender.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "http/http1/chunk_encoder.h"
#include "http/http1/chunked_body.h"
#include "http/server/internal/sending.h"
#include "runtime/result.h"
#include "runtime/stream.h"
#include "runtime/task.h"

namespace volt::http::server {
namespace {

constexpr std::size_t kGatherBytes = 16 * 1024;      // then it is sent
constexpr std::size_t kFileSliceBytes = 256 * 1024;  // between two of them, others have their turn
constexpr std::size_t kFileCopyBytes = 16 * 1024;    // at a time, where the kernel cannot send the file itself
constexpr std::size_t kDropBytes = 4 * 1024;         // at a time, of what a client says that ought to listen

}  // namespace

Task<> BodySender::write(std::string_view data) {
  take_from_promised(data.size());
  while (!data.empty()) {
    const std::string_view slice = data.substr(0, kGatherBytes);
    data.remove_prefix(slice.size());
    compose(slice);
    if (exchange_.unsent().size() < kGatherBytes) continue;
    auto flushing = flush();
    co_await std::move(flushing);
  }
}

void BodySender::compose(std::string_view data) {
  if (end_ == server::BodyEnd::chunked) {
    http1::append_chunk(data, exchange_.out());
  } else {
    exchange_.out() += data;
  }
}

void BodySender::take_from_promised(std::uint64_t size) {
  if (end_ != server::BodyEnd::length) return;
  if (size > left_bytes_) throw std::length_error("a body is longer than it was said to be");
  left_bytes_ -= size;
}

Task<> BodySender::flush() {
  begun_ = true;
  auto sending = send_composed(wire_, exchange_, patience_);
  const Result<void> sent = co_await std::move(sending);
  if (!sent) {
    wire_.abort_on_close();
    throw Disconnected();
  }
}

Task<> BodySender::write_file(int fd, std::uint64_t offset, std::uint64_t size) {
  take_from_promised(size);
  auto writing = wire_.sends_files() && end_ != server::BodyEnd::chunked ? send_file(fd, offset, size)
                                                                         : copy_file(fd, offset, size);
  co_await std::move(writing);
}

// sendfile(2): the pages go from the cache to the socket without a copy of ours.
Task<> BodySender::send_file(int fd, std::uint64_t offset, std::uint64_t size) {
  begun_ = true;
  if (!exchange_.unsent().empty()) {
    const Result<std::size_t> head = wire_.try_write_before_file(exchange_.unsent());
    if (head) exchange_.add_sent(*head);
    auto flushing = flush();  // what is left, or the error
    co_await std::move(flushing);
  }
  patience_.begin();
  while (size != 0) {
    const Result<std::size_t> count = wire_.try_send_file(fd, offset, std::min<std::uint64_t>(size, kFileSliceBytes));
    if (count) {
      if (*count == 0) throw std::system_error(std::make_error_code(std::errc::io_error), "a file became shorter");
      offset += *count;
      size -= *count;
      patience_.add_moved(*count);
      if (size != 0) co_await yield();
      continue;
    }
    if (!would_block(count)) throw Disconnected();
    wire_.set_write_deadline_in(patience_.left());
    const Result<void> ready = co_await wire_.writable();
    wire_.set_write_deadline_in(kNoDeadline);
    if (ready) continue;
    wire_.abort_on_close();
    throw Disconnected();
  }
}

Task<> BodySender::copy_file(int fd, std::uint64_t offset, std::uint64_t size) {
  std::array<char, kFileCopyBytes> buffer;
  while (size != 0) {
    const ssize_t count =
        ::pread(fd, buffer.data(), std::min<std::uint64_t>(size, buffer.size()), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw std::system_error(errno, std::system_category(), "pread");
    if (count == 0) throw std::system_error(std::make_error_code(std::errc::io_error), "a file became shorter");
    offset += static_cast<std::uint64_t>(count);
    size -= static_cast<std::uint64_t>(count);
    compose({buffer.data(), static_cast<std::size_t>(count)});
    auto flushing = flush();
    co_await std::move(flushing);
  }
}

void BodySender::trailer(std::string_view name, std::string_view value) {
  if (http1::forbidden_trailer(name)) throw std::invalid_argument("a field of that name cannot be a trailer");
  trailers_.set(name, value);
}

Task<> BodySender::until_closing() {
  wire_.set_read_deadline_in(kNoDeadline);
  std::array<std::byte, kDropBytes> dropped;
  while (!site_.draining()) {
    [[maybe_unused]] const Result<void> ready = co_await wire_.readable();
    const Result<std::size_t> count = wire_.try_read(dropped);
    const bool gone = count ? *count == 0 : !would_block(count);
    if (gone) co_return;
    dropped_ = dropped_ || count;
  }
}

Task<> BodySender::finish() {
  if (end_ == server::BodyEnd::length && left_bytes_ != 0) {
    throw std::length_error("a body is shorter than it was said to be");
  }
  if (end_ == server::BodyEnd::chunked) http1::append_last_chunk(trailers_.lines(), exchange_.out());
  auto flushing = flush();
  co_await std::move(flushing);
}

}  // namespace volt::http::server
