// SPDX-License-Identifier: MIT

// serve: sends the messages of a subscription to a client, until either ends (http/topics/topics.h has an example).
//
// Threads: called in the handler of the WebSocket or the event stream. Errors: Disconnected, which handlers need not
// catch, and what on_message throws.
#pragma once

#include <functional>

#include "http/topics/topic_subscription.h"
#include "http/web/event_stream.h"
#include "http/websocket/websocket.h"
#include "runtime/task.h"

namespace volt::http {

// Sends as TopicFormat says, and passes each message of the client to `on_message`, one after the other; without it,
// they are dropped. Returns when the WebSocket is closed. A subscription that ends because the client is too slow
// closes it with 1013, and so does a gap with TopicFormat::plain.
[[nodiscard]] Task<> serve(WebSocket& socket, TopicSubscription& subscription,
                           std::function<Task<>(WebSocket::Message)> on_message = {});

// Sends each message as an event with its id and its data, and the others as events of the types `gap` ({"lost":3} or
// {"lost":null}), `joined` and `left` (the member's name as JSON). Throws std::logic_error for messages that are bytes,
// which events cannot hold.
[[nodiscard]] Task<> serve(EventStream& out, TopicSubscription& subscription);

}  // namespace volt::http
