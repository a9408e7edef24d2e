// SPDX-License-Identifier: MIT

#include "http/testing/connection.h"

#include "http/testing/internal/harness.h"
#include "http/testing/internal/response_reader.h"
#include "http/testing/internal/socket.h"

namespace volt::http {

using testing::TransferResult;

TestConnection::TestConnection(testing::Harness& harness)
    : harness_(&harness), socket_(std::make_unique<testing::Socket>(harness.connect())) {}
TestConnection::TestConnection(TestConnection&&) noexcept = default;
TestConnection& TestConnection::operator=(TestConnection&&) noexcept = default;
TestConnection::~TestConnection() = default;

void TestConnection::send(std::string_view bytes) {
  const std::size_t sent = try_send(bytes);
  if (sent == bytes.size()) return;
  throw TestFailure("the server accepted only " + std::to_string(sent) + " of " + std::to_string(bytes.size()) +
                    " bytes");
}

std::size_t TestConnection::try_send(std::string_view bytes) {
  const std::size_t all = bytes.size();
  TransferResult moved = TransferResult::some;
  while (!bytes.empty() && moved == TransferResult::some) {
    moved = socket_->try_send(bytes);
    if (moved != TransferResult::nothing) continue;
    harness_->settle();
    moved = socket_->try_send(bytes);
  }
  return all - bytes.size();
}

// Blocks until bytes are received. Returns false at the end of the connection.
bool TestConnection::receive() {
  while (!ended_) {
    const TransferResult moved = socket_->try_receive(unread_);
    if (moved == TransferResult::some) return true;
    if (moved == TransferResult::ended) {
      ended_ = true;
    } else {
      socket_->wait();
    }
  }
  return false;
}

TestResponse TestConnection::read_response(Method method) {
  testing::ResponseReader reader(method);
  reader.feed(std::exchange(unread_, {}));
  while (!reader.done()) {
    if (receive()) {
      reader.feed(std::exchange(unread_, {}));
    } else {
      reader.end();
      if (reader.cut_off()) throw TestFailure("the connection ended before the response did");
    }
  }
  unread_ = reader.take_rest();
  return reader.take();
}

std::string TestConnection::read_some() {
  if (unread_.empty()) receive();
  return std::exchange(unread_, {});
}

std::string TestConnection::read_rest() {
  while (receive()) {
  }
  return std::exchange(unread_, {});
}

std::string_view TestConnection::peek() {
  TransferResult moved = TransferResult::some;
  while (!ended_ && moved == TransferResult::some) {
    harness_->settle();
    moved = socket_->try_receive(unread_);
    ended_ = moved == TransferResult::ended;
  }
  return unread_;
}

bool TestConnection::quiet() { return peek().empty() && !ended_; }

bool TestConnection::ended() { return peek().empty() && ended_; }

void TestConnection::finish_sending() noexcept { socket_->finish_sending(); }

void TestConnection::close() noexcept { socket_->close(); }

}  // namespace volt::http
