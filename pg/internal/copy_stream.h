// SPDX-License-Identifier: MIT

// CopyStream: a COPY that has begun, on the connection of its transaction. Its destructor closes the connection if the
// COPY is not at its end.
//
// Threads: one task at a time. Lifetime: keeps the connection alive, but not reserved: its transaction does that.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "pg/internal/connection.h"
#include "pg/internal/copy_exchange.h"
#include "runtime/task.h"

namespace volt::pg::internal {

class CopyStream {
 public:
  CopyStream(std::shared_ptr<Connection> connection, std::shared_ptr<CopyExchange> copy) noexcept
      : connection_(std::move(connection)), copy_(std::move(copy)) {}
  CopyStream(CopyStream&&) noexcept = default;
  CopyStream& operator=(CopyStream&& other) noexcept {
    std::swap(connection_, other.connection_);
    std::swap(copy_, other.copy_);
    return *this;
  }
  ~CopyStream() {
    if (connection_ != nullptr) connection_->abandon_copy(*copy_);
  }

  [[nodiscard]] Task<> put(std::string_view bytes) { return connection_->put_copy_data(copy_, bytes); }
  [[nodiscard]] Task<std::uint64_t> end() { return connection_->end_copy(copy_); }
  [[nodiscard]] Task<bool> get(std::string& into) { return connection_->get_copy_data(copy_, into); }

 private:
  std::shared_ptr<Connection> connection_;  // null once moved from
  std::shared_ptr<CopyExchange> copy_;
};

}  // namespace volt::pg::internal
