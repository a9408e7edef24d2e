// SPDX-License-Identifier: MIT

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
#include "http/transport/page_cache.h"
#include "runtime/base/uninitialized.h"
#include "runtime/result.h"
#include "runtime/stream.h"
#include "runtime/task.h"

namespace volt::http::server {
namespace {

constexpr std::size_t kGatherBytes = 16 * 1024;      // written bytes that are gathered before they are sent
constexpr std::size_t kFileSliceBytes = 256 * 1024;  // bytes of a file that are sent before other tasks run
constexpr std::size_t kFileCopyBytes = 16 * 1024;    // bytes per read(2) if sendfile(2) cannot be used
constexpr std::size_t kDropBytes = 4 * 1024;         // bytes per read from a client that should send nothing

}  // namespace

Task<> BodySender::write(std::string_view data) {
  require_complete();
  take_from_content_length(data.size());
  while (!data.empty()) {
    const std::string_view slice = data.substr(0, kGatherBytes);
    data.remove_prefix(slice.size());
    compose(slice);
    if (context_.unsent().size() < kGatherBytes) continue;
    incomplete_ = !data.empty();
    co_await send();
  }
  incomplete_ = false;
  watch_.count_half_close();
}

void BodySender::require_complete() const {
  if (incomplete_) throw std::runtime_error("a write did not finish, so the body is incomplete");
}

void BodySender::compose(std::string_view data) {
  if (end_ == server::BodyFraming::chunked) {
    http1::append_chunk(data, context_.out());
  } else {
    context_.out() += data;
  }
}

void BodySender::take_from_content_length(std::uint64_t size) {
  if (end_ != server::BodyFraming::length) return;
  if (size > left_bytes_) throw std::length_error("the body is longer than its announced size");
  left_bytes_ -= size;
}

Task<> BodySender::flush() {
  co_await send();
  watch_.count_half_close();
}

Task<> BodySender::send() {
  context_.begin_final();
  const Result<void> sent = co_await send_composed(channel_, context_, transfer_timeout_);
  if (!sent) give_up(sent);
}

// The connection is reset: the client must not take the part of the body that it has for the whole.
void BodySender::give_up(const Result<void>& sent) {
  timed_out_ = volt::timed_out(sent);
  channel_.abort_on_close();
  throw Disconnected();
}

Task<> BodySender::write_file(int fd, std::uint64_t offset, std::uint64_t size) {
  require_complete();
  take_from_content_length(size);
  incomplete_ = true;
  const bool sends_file = channel_.sends_files() && end_ != server::BodyFraming::chunked;
  if (sends_file) {
    co_await send_file(fd, offset, size);
  } else {
    co_await copy_file(fd, offset, size);
  }
  incomplete_ = false;
}

// sendfile(2): the kernel passes pages of the cache to the socket, without a copy in this process. Parts that are not
// in the cache are brought into it first, because sendfile(2) would make the worker wait for the disk. Only the last
// byte of a part is checked. Files are read in order, also by the kernel's read-ahead, so if this byte is in the cache,
// the bytes before it most likely are, too. Where the file system does not tell, each part is brought into the cache
// once, and all of it is sent before the next one.
Task<> BodySender::send_file(int fd, std::uint64_t offset, std::uint64_t size) {
  context_.begin_final();
  if (!context_.unsent().empty()) {
    const Result<std::size_t> head = channel_.try_write_before_file(context_.unsent());
    if (head) {
      context_.add_sent(*head);
      transfer_timeout_.begin();  // the client accepts bytes, as in send_composed()
    }
    co_await send();  // sends the rest of the head, or reports the error of the write
  }
  transfer_timeout_.begin();
  std::uint64_t fetched_to = offset;
  while (size != 0) {
    const std::uint64_t part = offset < fetched_to ? fetched_to - offset : kFileSliceBytes;
    const std::uint64_t slice = std::min<std::uint64_t>(size, part);
    const DiskWait wait = offset < fetched_to ? DiskWait::no : disk_wait(fd, offset + slice - 1);
    if (wait != DiskWait::no) {
      transfer_timeout_.pause();
      co_await fetch_from_disk(fd, offset, slice);
      transfer_timeout_.resume();
      if (wait == DiskWait::unknown) fetched_to = offset + slice;
    }
    const Result<std::size_t> count = channel_.try_send_file(fd, offset, slice);
    if (count) {
      if (*count == 0)
        throw std::system_error(std::make_error_code(std::errc::io_error), "the file was truncated while it was sent");
      offset += *count;
      size -= *count;
      context_.add_file_sent(*count);
      transfer_timeout_.add_moved(*count);
      if (size != 0) co_await yield();
      continue;
    }
    if (!would_block(count)) throw Disconnected();
    channel_.set_write_deadline_in(transfer_timeout_.left());
    const Result<void> ready = co_await channel_.writable();
    channel_.set_write_deadline_in(kNoDeadline);
    if (!ready) give_up(ready);
  }
  transfer_timeout_.pause();
}

Task<> BodySender::copy_file(int fd, std::uint64_t offset, std::uint64_t size) {
  std::uint64_t fetched_to = offset;
  while (size != 0) {
    if (offset >= fetched_to) {
      const std::uint64_t slice = std::min<std::uint64_t>(size, kFileSliceBytes);
      if (disk_wait(fd, offset + slice - 1) != DiskWait::no) co_await fetch_from_disk(fd, offset, slice);
      fetched_to = offset + slice;
    }
    const std::size_t count = compose_file(fd, offset, size);
    offset += count;
    size -= count;
    co_await send();
  }
}

// The buffer is not in a coroutine, whose frame would hold it while the client reads.
std::size_t BodySender::compose_file(int fd, std::uint64_t offset, std::uint64_t size) {
  VOLT_UNINITIALIZED std::array<char, kFileCopyBytes> buffer;
  ssize_t count = -1;
  do {
    count = ::pread(fd, buffer.data(), std::min<std::uint64_t>(size, buffer.size()), static_cast<off_t>(offset));
  } while (count < 0 && errno == EINTR);
  if (count < 0) throw std::system_error(errno, std::system_category(), "pread");
  if (count == 0)
    throw std::system_error(std::make_error_code(std::errc::io_error), "the file was truncated while it was sent");
  compose({buffer.data(), static_cast<std::size_t>(count)});
  return static_cast<std::size_t>(count);
}

void BodySender::trailer(std::string_view name, std::string_view value) {
  if (http1::forbidden_trailer(name))
    throw std::invalid_argument("this field cannot be a trailer (RFC 9110 section 6.5.1)");
  trailers_.set(name, value);
}

Task<> BodySender::until_closing() {
  channel_.set_read_deadline_in(kNoDeadline);
  while (!server_state_.draining()) {
    [[maybe_unused]] const Result<void> ready = co_await channel_.readable();
    const Result<std::size_t> count = drop_received();
    const bool disconnected = count ? *count == 0 : !would_block(count);
    if (disconnected) co_return;
    dropped_ = dropped_ || count;
  }
}

// The buffer is not in the coroutine, whose frame would hold it as long as an event stream lives.
Result<std::size_t> BodySender::drop_received() {
  VOLT_UNINITIALIZED std::array<std::byte, kDropBytes> dropped;
  return channel_.try_read(dropped);
}

Task<> BodySender::finish() {
  require_complete();
  if (end_ == server::BodyFraming::length && left_bytes_ != 0) {
    throw std::length_error("the body is shorter than its announced size");
  }
  if (end_ == server::BodyFraming::chunked) http1::append_last_chunk(trailers_.lines(), context_.out());
  co_await send();
}

}  // namespace volt::http::server
