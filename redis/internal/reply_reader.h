// SPDX-License-Identifier: MIT

// ReplyReader: bytes from the server to replies, within limits, by hiredis. format() is the other way: commands to
// bytes. Rejected for it: redisFormatCommandArgv(), which allocates and copies each command once more.
//
// hiredis calls a function for each value that it reads, and these build a Reply. They refuse what would exceed the
// limits before memory is allocated for it, and all types that RESP2 does not have.
//
// Threads: one at a time. Memory: the replies, and the received part of an incomplete one.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "redis/command.h"
#include "redis/reply.h"

namespace volt::redis::internal {

// Maximum depth of arrays in arrays: that of the oldest hiredis that is supported.
inline constexpr std::size_t kReplyDepthMax = 7;

class ReplyReader {
 public:
  // `reply_bytes_max`: maximum memory of one reply; each element of an array counts with the size of a Reply.
  explicit ReplyReader(std::size_t reply_bytes_max);
  ~ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  // Appends to `into` the replies that `bytes` complete. Returns false if the bytes are malformed or exceed a limit;
  // then the reader must not be used further. Complete replies that precede the error are in `into`.
  [[nodiscard]] bool read(std::span<const std::byte> bytes, std::vector<Reply>& into);
  // Returns why read() returned false.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string failure_;
};

// Appends the command to `out` as it is sent. Throws Error if its arguments have more than 512 MiB.
void format(const Command& command, std::string& out);

}  // namespace volt::redis::internal
