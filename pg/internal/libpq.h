// SPDX-License-Identifier: MIT

// Owning handles of objects of libpq. Only this folder includes libpq.
#pragma once

#include <libpq-fe.h>
#include <sys/socket.h>

#include <memory>
#include <string>

namespace volt::pg::internal {

struct FinishConnection {
  void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
};
using ConnectionHandle = std::unique_ptr<PGconn, FinishConnection>;

struct ClearResult {
  void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using ResultHandle = std::unique_ptr<PGresult, ClearResult>;

struct FreeCancel {
  void operator()(PGcancel* cancel) const noexcept { PQfreeCancel(cancel); }
};
using CancelHandle = std::unique_ptr<PGcancel, FreeCancel>;

// Returns a message of libpq without its trailing newline.
inline std::string sentence(const char* message) {
  std::string text = message == nullptr ? "" : message;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Returns whether unread data is available. PQconsumeInput() reads once, and does not say whether it read all data; the
// reactor would report only data that arrives later.
inline bool has_unread(int fd) noexcept {
  char byte;
  return ::recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

}  // namespace volt::pg::internal
