// SPDX-License-Identifier: MIT

#include "redis/internal/link.h"

#include <sys/socket.h>

#include <utility>

#include "runtime/deadline.h"

namespace volt::redis::internal {

namespace {

constexpr std::size_t kKeptBytesMax = 64 * 1024;  // of an empty buffer for commands

}  // namespace

void Endable::shut_down() noexcept { ::shutdown(fd(), SHUT_RDWR); }

Link::Link(StreamSocket socket, std::size_t reply_bytes_max, std::chrono::nanoseconds write_timeout)
    : write_timeout_(write_timeout),
      socket_(std::move(socket)),
      buffer_(std::make_unique<std::byte[]>(kReadBytes)),
      reader_(reply_bytes_max) {}

Task<Result<void>> Link::start_tls(std::shared_ptr<const tls::Context> context) {
  tls_.emplace(socket_, std::move(context));
  co_return co_await tls_->handshake();
}

volt::Stream& Link::stream() noexcept {
  if (tls_) return *tls_;
  return socket_;
}

Result<std::size_t> Link::try_read(std::span<std::byte> into) {
  const std::scoped_lock lock(transfer_);
  return stream().try_read(into);
}

Result<std::size_t> Link::try_write(std::span<const std::byte> from) {
  const std::scoped_lock lock(transfer_);
  return stream().try_write(from);
}

// --- out -------------------------------------------------------------------------------------------------------------

void Link::send(std::string_view bytes) {
  bool wakes = false;
  {
    const std::scoped_lock lock(mutex_);
    wakes = unsent_.empty();
    unsent_ += bytes;
  }
  if (wakes) work_.notify_one();
}

bool Link::take_unsent(std::string& into) {
  const std::scoped_lock lock(mutex_);
  into.clear();
  if (unsent_.empty() && into.capacity() > kKeptBytesMax) std::string().swap(into);
  std::swap(into, unsent_);  // the buffers take turns, so their memory is used again
  return !into.empty();
}

Task<bool> Link::flush() {
  while (take_unsent(sending_)) {
    std::span<const std::byte> left = std::as_bytes(std::span(sending_));
    while (!left.empty()) {
      const Result<std::size_t> count = try_write(left);
      if (count) {
        left = left.subspan(*count);
        continue;
      }
      if (!would_block(count)) co_return false;
      socket_.set_write_deadline_in(write_timeout_);
      const Result<void> ready = co_await socket_.writable();
      if (!ready) co_return false;
    }
  }
  co_return !closed();
}

Task<> Link::write(std::shared_ptr<Link> link) {
  struct Ending {
    Link& link;
    ~Ending() { link.close(); }  // also if memory lacks: without this task no command would be sent
  } const ending{*link};
  bool open = true;
  while (open) {
    co_await link->work_.notified();
    co_await yield();  // lets other runnable tasks add their commands
    open = co_await link->flush();
  }
}

// --- in --------------------------------------------------------------------------------------------------------------

Task<Received> Link::receive(std::vector<Reply>& into, std::chrono::nanoseconds limit) {
  const Deadline deadline = Deadline::after(limit);
  for (;;) {
    socket_.set_read_deadline_in(deadline.left());
    const Result<void> ready = co_await socket_.readable();
    const bool late = timed_out(ready);
    if (!ready && !late) {
      failure_ = ready.error().message();
      co_return Received::end;
    }
    const std::span<std::byte> buffer(buffer_.get(), kReadBytes);
    const Result<std::size_t> count = try_read(buffer);
    // Reads also after the limit: if this process stood still, replies may have arrived in time.
    if (would_block(count) && late) co_return Received::nothing;
    if (would_block(count)) continue;
    if (!count || *count == 0) {
      failure_ = count ? "the server closed the connection" : count.error().message();
      co_return Received::end;
    }
    const bool sound = reader_.read(buffer.first(*count), into);
    if (!sound) failure_ = reader_.failure();
    if (!sound) co_return Received::end;
    if (!into.empty()) co_return Received::replies;
  }
}

void Link::close() noexcept {
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
  }
  socket_.shut_down();
  work_.notify_one();
}

bool Link::closed() {
  const std::scoped_lock lock(mutex_);
  return closed_;
}

}  // namespace volt::redis::internal
