#include "http/testing/internal/connection.h"

#include "http/testing/internal/answer_reader.h"
#include "http/testing/internal/stage.h"

namespace volt::http {

using testing::Moved;

TestConnection::TestConnection(testing::Stage& stage) : stage_(&stage), socket_(stage.connect()) {}

void TestConnection::send(std::string_view bytes) {
  const std::size_t sent = send_what_goes(bytes);
  if (sent == bytes.size()) return;
  throw TestFailure("the server took " + std::to_string(sent) + " of " + std::to_string(bytes.size()) + " bytes");
}

std::size_t TestConnection::send_what_goes(std::string_view bytes) {
  const std::size_t all = bytes.size();
  Moved moved = Moved::some;
  while (!bytes.empty() && moved == Moved::some) {
    moved = socket_.try_send(bytes);
    if (moved != Moved::nothing) continue;
    stage_->settle();
    moved = socket_.try_send(bytes);
  }
  return all - bytes.size();
}

// False at the end.
bool TestConnection::receive() {
  while (!ended_) {
    const Moved moved = socket_.try_receive(unread_);
    if (moved == Moved::some) return true;
    if (moved == Moved::ended) {
      ended_ = true;
    } else {
      socket_.wait();
    }
  }
  return false;
}

TestAnswer TestConnection::read_answer(Method method) {
  testing::AnswerReader reader(method);
  reader.feed(std::exchange(unread_, {}));
  while (!reader.done()) {
    if (receive()) {
      reader.feed(std::exchange(unread_, {}));
    } else {
      reader.end();
      if (reader.cut_off()) throw TestFailure("the connection ended before the answer did");
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
  Moved moved = Moved::some;
  while (!ended_ && moved == Moved::some) {
    stage_->settle();
    moved = socket_.try_receive(unread_);
    ended_ = moved == Moved::ended;
  }
  return unread_;
}

bool TestConnection::quiet() { return peek().empty() && !ended_; }

bool TestConnection::ended() { return peek().empty() && ended_; }

}  // namespace volt::http
