// SPDX-License-Identifier: MIT

#include "http/cookies/internal/session_log.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace volt::http::cookies {
namespace {

// Names the format. A replacement process may be another version of the program: it ignores a format that it does not
// know.
constexpr std::string_view kForm = "volt sessions 1\n";
// Maximum size of a file. Beyond it, further changes are not handed over.
constexpr std::uint64_t kFileBytesMax = std::uint64_t{1} << 30;
constexpr std::uint32_t kDataBytesMax = 1U << 24;  // of one record
constexpr std::size_t kReadBytes = 16 * 1024;
constexpr std::size_t kCollectedBytesMax = 1 << 20;

// The fixed part of a record. Both processes run on the same machine, so its layout is that of the memory.
struct Head {
  std::uint32_t data_bytes = 0;
  SessionRecord::Kind kind = SessionRecord::Kind::end;
  std::uint8_t renewed = 0;
  std::array<std::byte, 16> id{};
  std::int64_t created = 0;
  std::int64_t used = 0;
};

// Overwrites the bytes, which hold session ids, and frees their memory.
void wipe(std::string& bytes) noexcept {
  bytes.resize(bytes.capacity());  // with what was erased
  ::explicit_bzero(bytes.data(), bytes.size());
  std::string().swap(bytes);
}

}  // namespace

SessionLog& SessionLog::operator=(SessionLog&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(bytes_, other.bytes_);
  std::swap(taken_, other.taken_);
  std::swap(at_, other.at_);
  return *this;
}

SessionLog::~SessionLog() { close(); }

SessionLog SessionLog::create() {
  SessionLog log(::memfd_create("volt-sessions", MFD_CLOEXEC));
  log.bytes_ = kForm;
  return log;
}

void SessionLog::add(const SessionRecord& record) {
  const Head head{.data_bytes = static_cast<std::uint32_t>(record.data.size()),
                  .kind = record.kind,
                  .renewed = record.renewed,
                  .id = record.id,
                  .created = record.created.time_since_epoch().count(),
                  .used = record.used.time_since_epoch().count()};
  if (bytes_.size() >= kCollectedBytesMax) flush();
  if (!open()) return;
  bytes_.reserve(bytes_.size() + sizeof head + record.data.size());  // so that no part of a record is added
  bytes_.append(reinterpret_cast<const char*>(&head), sizeof head).append(record.data);
}

bool SessionLog::flush() {
  std::string_view left = bytes_;
  if (at_ + left.size() > kFileBytesMax) close();
  while (open() && !left.empty()) {
    const ssize_t written = ::write(fd_.get(), left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      close();
      break;
    }
    at_ += static_cast<std::size_t>(written);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  wipe(bytes_);
  return open();
}

std::optional<SessionRecord> SessionLog::next() {
  if (at_ == 0 && !read_form()) return std::nullopt;
  Head head;
  if (!has_unread(sizeof head)) return std::nullopt;
  std::memcpy(&head, bytes_.data() + taken_, sizeof head);
  if (head.kind == SessionRecord::Kind::end || head.data_bytes > kDataBytesMax) close();
  if (!has_unread(sizeof head + head.data_bytes)) return std::nullopt;
  SessionRecord record{.kind = head.kind,
                       .id = head.id,
                       .created = std::chrono::sys_seconds(std::chrono::seconds(head.created)),
                       .used = std::chrono::sys_seconds(std::chrono::seconds(head.used)),
                       .renewed = head.renewed != 0,
                       .data = bytes_.substr(taken_ + sizeof head, head.data_bytes)};
  taken_ += sizeof head + head.data_bytes;
  return record;
}

// Reads the name of the format. Returns false if it is not complete yet or is another one.
bool SessionLog::read_form() {
  if (!has_unread(kForm.size())) return false;
  if (!bytes_.starts_with(kForm)) close();
  taken_ = kForm.size();
  return open();
}

// Returns whether `count` bytes that next() has not returned are in bytes_; reads them if they are in the file.
bool SessionLog::has_unread(std::size_t count) {
  while (open() && bytes_.size() - taken_ < count) {
    std::array<char, kReadBytes> piece;
    const ssize_t read = ::pread(fd_.get(), piece.data(), piece.size(), static_cast<off_t>(at_));
    if (read <= 0) return false;
    bytes_.erase(0, std::exchange(taken_, 0));
    bytes_.append(piece.data(), static_cast<std::size_t>(read));
    at_ += static_cast<std::size_t>(read);
  }
  return open();
}

void SessionLog::close() noexcept {
  wipe(bytes_);
  taken_ = 0;
  const FileDescriptor closed = std::move(fd_);
}

}  // namespace volt::http::cookies
