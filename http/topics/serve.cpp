// SPDX-License-Identifier: MIT

#include "http/topics/serve.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "http/json/json.h"
#include "http/topics/internal/encoded_message.h"
#include "http/topics/internal/subscription_state.h"
#include "http/websocket/protocol/prepared_message.h"
#include "runtime/concurrent.h"

namespace volt::http {
namespace topics {
namespace {

using Kind = TopicEvent::Kind;

constexpr std::size_t kPieceBytesMax = std::size_t{16} * 1024;
constexpr std::size_t kPieceMessages = 16;  // space for the frames of so many is reserved at once

struct Gap {
  std::optional<std::uint64_t> gap;
};
struct LostCount {
  std::optional<std::uint64_t> lost;
};
struct JoinedMember {
  std::string_view joined;
};
struct LeftMember {
  std::string_view left;
};

std::string notice(const TopicEvent& event) {
  if (event.kind == Kind::gap) return to_json(Gap{event.lost});
  if (event.kind == Kind::joined) return to_json(JoinedMember{event.member});
  return to_json(LeftMember{event.member});
}

}  // namespace

// Reaches the message inside an event.
class Serving {
 public:
  static Task<> send_to(WebSocket& socket, TopicSubscription& subscription) {
    const bool numbered = subscription.state_->format().format == TopicFormat::numbered;
    for (;;) {
      const std::optional<TopicEvent> event = co_await subscription.next();
      if (!event) co_return co_await socket.close(CloseCode::try_again_later, "the client is too slow");
      if (event->kind == Kind::message) {
        SharedMessage second = subscription.state_->try_next_message();
        if (!second) {
          co_await socket.send(event->message_->frame());
          continue;
        }
        std::vector<PreparedMessage> frames;
        frames.reserve(kPieceMessages);
        const auto add = [&](const EncodedMessage& message) { frames.push_back(message.frame()); };
        gather(*subscription.state_, *event->message_, std::move(second), add);
        co_await socket.send(frames);
      } else if (numbered) {
        co_await socket.send_text(notice(*event));
      } else if (event->kind == Kind::gap) {
        co_return co_await socket.close(CloseCode::try_again_later, "messages are missing");
      }
    }
  }

  static Task<> send_to(EventStream& out, TopicSubscription& subscription) {
    if (subscription.state_->format().kind == DataKind::bytes) {
      throw std::logic_error("events are text: publish a std::string or a type with a JSON form in place of bytes");
    }
    for (;;) {
      const std::optional<TopicEvent> event = co_await subscription.next();
      if (!event) co_return;
      if (event->kind == Kind::message) {
        SharedMessage second = subscription.state_->try_next_message();
        if (!second) {
          co_await out.send_lines(event->message_->lines());
          continue;
        }
        auto lines = std::make_shared<std::string>();
        const auto add = [&](const EncodedMessage& message) { *lines += *message.lines(); };
        gather(*subscription.state_, *event->message_, std::move(second), add);
        co_await out.send_lines(std::move(lines));
      } else if (event->kind == Kind::gap) {
        const std::string data = to_json(LostCount{event->lost});
        co_await out.send({.event = "gap", .data = data});
      } else {
        const std::string data = to_json(event->member);
        co_await out.send({.event = event->kind == Kind::joined ? "joined" : "left", .data = data});
      }
    }
  }

 private:
  // Calls `add` with two messages, and with those directly behind them that have been published, until there are at
  // least kPieceBytesMax.
  template <class Add>
  static void gather(SubscriptionState& state, const EncodedMessage& first, SharedMessage next, const Add& add) {
    add(first);
    std::size_t bytes = first.data().size();
    do {
      add(*next);
      bytes += next->data().size();
    } while (bytes < kPieceBytesMax && (next = state.try_next_message()));
  }
};

namespace {

Task<> receive_all(WebSocket& socket, const std::function<Task<>(WebSocket::Message)>& on_message) {
  for (;;) {
    std::optional<WebSocket::Message> message = co_await socket.receive();
    if (!message) co_return;
    if (on_message) co_await on_message(*std::move(message));
  }
}

}  // namespace
}  // namespace topics

Task<> serve(WebSocket& socket, TopicSubscription& subscription, std::function<Task<>(WebSocket::Message)> on_message) {
  const auto receive = [&] { return topics::receive_all(socket, on_message); };
  const auto send = [&] { return topics::Serving::send_to(socket, subscription); };
  co_await race(receive, send);
}

Task<> serve(EventStream& out, TopicSubscription& subscription) { return topics::Serving::send_to(out, subscription); }

}  // namespace volt::http
