// SPDX-License-Identifier: MIT

#include "apps/links/clipboard.h"

#include <http/topics/topics.h>
#include <http/validation/checked.h>

#include <optional>
#include <string>
#include <utility>

#include "apps/links/users.h"

namespace links {
namespace {

namespace http = volt::http;
using namespace volt::literals;
using http::From;
using http::Query;
using http::State;
using http::WebSocket;

struct Note {
  std::string device;
  std::string text;
};

struct Device {
  volt::Length<std::string, 1, 40> device;
  std::optional<std::string> after;  // id of the last note that the device has received
};

Task<> share(WebSocket& socket, Query<Device> device, From<User> user, State<http::Topics<Note>> notes) {
  const std::string topic = std::to_string(user->id);
  http::SubscribeOptions options{.after = device->after.value_or("")};
  auto others = co_await notes->subscribe(topic, std::move(options));
  const auto write = [&](WebSocket::Message written) -> Task<> {
    const Note note{*device->device, std::move(written.data)};
    co_await notes->publish(topic, note);
  };
  co_await http::serve(socket, others, write);
}

}  // namespace

void add_clipboard(http::App& app, http::Group& api) {
  app.state<http::Topics<Note>>();
  api.ws("/clipboard", {.message_bytes_max = 16_KiB}, share).summary("Shares notes between the devices of a user");
}

}  // namespace links
