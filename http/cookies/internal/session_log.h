// SPDX-License-Identifier: MIT

// SessionLog: the sessions of a process as a sequence of records in a file in memory (memfd_create(2)). A hot restart
// passes it to the replacement process, which reads the file while the replaced process still appends its changes.
//
// The file is never on disk, and only the two processes have a descriptor of it. A reader uses only complete records:
// the writer may be in the middle of one. The last record says that no more follow.
//
// Threads: one at a time. Lifetime: owns the descriptor.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/file_descriptor.h"

namespace volt::http::cookies {

struct SessionRecord {
  enum class Kind : std::uint8_t {
    secret,   // `data` is the secret of the signed cookies
    saved,    // all members
    removed,  // `id`
    end,      // no record follows
  };
  Kind kind = Kind::end;
  std::array<std::byte, 16> id{};
  std::chrono::sys_seconds created{};
  std::chrono::sys_seconds used{};
  bool renewed = false;
  std::string data;
};

class SessionLog {
 public:
  SessionLog() = default;
  explicit SessionLog(int fd) noexcept : fd_(fd) {}
  SessionLog(SessionLog&& other) noexcept = default;
  SessionLog& operator=(SessionLog&& other) noexcept;
  ~SessionLog();

  // Returns a log with an empty file; a closed one if there is no memory for it.
  [[nodiscard]] static SessionLog create();

  [[nodiscard]] bool open() const noexcept { return static_cast<bool>(fd_); }
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

  // Collects a record; flush() writes the collected ones, and so does add() when they take a MiB. If they cannot be
  // written the log is closed, and flush() returns false.
  void add(const SessionRecord& record);
  bool flush();
  // Returns the next record that has been written completely; none if there is none yet. Closes the log after the last
  // one, and if the file does not hold a log.
  [[nodiscard]] std::optional<SessionRecord> next();

 private:
  void close() noexcept;
  [[nodiscard]] bool read_form();
  [[nodiscard]] bool has_unread(std::size_t count);

  FileDescriptor fd_;
  std::string bytes_;      // of a writer: collected records; of a reader: bytes of the file
  std::size_t taken_ = 0;  // of a reader: how many of these bytes next() has returned
  std::uint64_t at_ = 0;   // offset in the file: how much has been written or read
};

}  // namespace volt::http::cookies
