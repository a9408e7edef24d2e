// SPDX-License-Identifier: MIT

#include "redis/internal/listener.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "redis/command.h"
#include "redis/error.h"
#include "redis/internal/reply_reader.h"
#include "runtime/deadline.h"
#include "runtime/spawn.h"
#include "runtime/time.h"

namespace volt::redis::internal {
namespace {

bool is_text(const Reply& reply) noexcept { return reply.kind == Reply::Kind::string; }

// Takes the message out of what the server has pushed; returns nothing if it is something else.
std::optional<Message> message_in(Reply& push) {
  std::vector<Reply>& parts = push.elements;
  if (parts.size() == 3 && parts[0].text == "message" && is_text(parts[1]) && is_text(parts[2])) {
    return Message{.channel = std::move(parts[1].text), .text = std::move(parts[2].text)};
  }
  if (parts.size() == 4 && parts[0].text == "pmessage" && is_text(parts[1]) && is_text(parts[2]) && is_text(parts[3])) {
    return Message{
        .channel = std::move(parts[2].text), .pattern = std::move(parts[1].text), .text = std::move(parts[3].text)};
  }
  return std::nullopt;
}

}  // namespace

Listener::Listener(std::shared_ptr<Connector> connector, std::shared_ptr<Statistics> statistics,
                   const std::vector<std::string>& names, bool patterns)
    : connector_(std::move(connector)),
      statistics_(std::move(statistics)),
      patterns_(patterns),
      names_(names.begin(), names.end()) {
  statistics_->subscriptions.fetch_add(1, base::relaxed);  // relaxed: a report
}

Listener::~Listener() {
  statistics_->subscriptions.fetch_sub(1, base::relaxed);  // relaxed: a report
}

Task<Subscription> Listener::start(std::shared_ptr<Connector> connector, std::shared_ptr<Statistics> statistics,
                                   std::vector<std::string> names, bool patterns) {
  if (names.empty()) throw std::invalid_argument("a subscription needs at least one channel or pattern");
  auto listener = std::make_shared<Listener>(connector, std::move(statistics), names, patterns);
  auto [sender, receiver] = channel<Message>(connector->options().subscription_queue_max);
  auto [ready, readiness] = oneshot<std::string>();
  Subscription subscription(listener, std::move(receiver));  // stops the listener if this task is cancelled
  spawn(run, listener, std::move(sender), std::move(ready)).detach();
  const std::optional<std::string> failure = co_await readiness.receive();
  if (!failure) throw Unavailable("the runtime is stopping");
  if (!failure->empty()) throw Unavailable(*failure);
  co_return subscription;
}

// --- the names -------------------------------------------------------------------------------------------------------

void Listener::add(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  if (names_.insert(name).second) send(patterns_ ? "PSUBSCRIBE" : "SUBSCRIBE", name);
}

void Listener::remove(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  if (names_.erase(name) != 0) send(patterns_ ? "PUNSUBSCRIBE" : "UNSUBSCRIBE", name);
}

// Called with the lock held.
void Listener::send(const char* verb, const std::string& name) {
  if (link_ == nullptr) return;  // the next connection subscribes to names_
  std::string bytes;
  format(Command(verb, name), bytes);
  link_->send(bytes);
}

// Makes the connection that of this listener, and subscribes to all names. Returns how many confirmations follow.
std::size_t Listener::adopt(const std::shared_ptr<Link>& link) {
  const std::scoped_lock lock(mutex_);
  link_ = link;
  if (stopped_) link->close();
  if (names_.empty()) return 0;
  Command all(patterns_ ? "PSUBSCRIBE" : "SUBSCRIBE");
  for (const std::string& name : names_) all.add(name);
  std::string bytes;
  format(all, bytes);
  link->send(bytes);
  return names_.size();
}

void Listener::stop() noexcept {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  if (link_ != nullptr) link_->close();
}

bool Listener::stopped() {
  const std::scoped_lock lock(mutex_);
  return stopped_;
}

// --- the task --------------------------------------------------------------------------------------------------------

Task<> Listener::run(std::shared_ptr<Listener> listener, Sender<Message> out, Ready ready) {
  const PoolOptions& options = listener->connector_->options();
  Ready* first = &ready;  // null once the subscription has begun
  std::chrono::nanoseconds backoff{0};
  while (!listener->stopped()) {
    std::string reason;
    bool confirmed = false;
    try {
      const std::shared_ptr<Link> link = co_await listener->connector_->connect();
      reason = co_await listener->serve(link, out, first, confirmed);
    } catch (const Unavailable& error) {  // decided: tried again, unless it is the first attempt
      reason = error.what();
    }
    if (first != nullptr && !confirmed) {
      std::move(*first).send(std::move(reason));
      co_return;
    }
    first = nullptr;
    if (listener->stopped()) co_return;
    if (confirmed) {
      listener->statistics_->count(Failure::subscription_lost);
      backoff = std::chrono::nanoseconds(0);
      const bool taken = co_await out.send(Message{.kind = Message::Kind::lost});
      if (!taken) co_return;
    } else {
      const std::chrono::nanoseconds most = options.backoff_max;
      backoff = std::min(most, std::max<std::chrono::nanoseconds>(options.backoff_min, backoff * 2));
      co_await sleep_for(backoff);
    }
  }
}

Task<std::string> Listener::serve(std::shared_ptr<Link> link, Sender<Message>& out, Ready* ready, bool& confirmed) {
  struct Closing {
    Link& link;
    ~Closing() { link.close(); }
  } const closing{*link};
  std::size_t unconfirmed = adopt(link);
  spawn(Link::write, link).detach();
  std::vector<Reply> replies;
  bool pinged = false;
  const Deadline confirm_by = Deadline::after(connector_->options().connect_timeout);
  for (;;) {
    if (!confirmed && unconfirmed == 0) {
      confirmed = true;
      if (ready != nullptr) {
        std::move(*ready).send("");
      } else {
        const bool taken = co_await out.send(Message{.kind = Message::Kind::back});
        if (!taken) co_return "the subscription has ended";
      }
    }
    std::chrono::nanoseconds limit = connector_->options().ping_interval;
    if (!confirmed) limit = confirm_by.left();
    const Received received = co_await link->receive(replies, limit);
    for (Reply& reply : replies) {
      std::string failure = co_await take(std::move(reply), out, unconfirmed);
      if (!failure.empty()) co_return failure;
    }
    replies.clear();
    if (received == Received::end) co_return link->failure();
    const bool late = !confirmed && unconfirmed != 0 && confirm_by.passed();
    if (late || (received == Received::nothing && pinged)) co_return "the server does not answer";
    pinged = received == Received::nothing;
    if (pinged) link->send("*1\r\n$4\r\nPING\r\n");
  }
}

// Passes a message on, or counts a confirmation. Returns why the connection must end, or nothing.
Task<std::string> Listener::take(Reply reply, Sender<Message>& out, std::size_t& unconfirmed) {
  if (reply.kind == Reply::Kind::error) co_return std::move(reply.text);
  const bool pong = reply.kind == Reply::Kind::status;  // as long as no channel is subscribed to
  if (pong) co_return "";
  if (reply.kind != Reply::Kind::array || reply.elements.empty()) co_return "the server sent no message";
  const std::string what = reply.elements.front().text;
  if (what == "subscribe" || what == "psubscribe") unconfirmed -= unconfirmed != 0 ? 1 : 0;
  std::optional<Message> message = message_in(reply);
  if (!message) co_return "";
  const bool taken = co_await out.send(*std::move(message));
  co_return taken ? "" : "the subscription has ended";
}

}  // namespace volt::redis::internal
