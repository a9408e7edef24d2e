// SPDX-License-Identifier: MIT

// Rooms: the rooms that have visitors. A room is a broadcaster of lines; it is destroyed when its last visitor leaves.
//
// Threads: any.
#pragma once

#include <runtime/broadcast.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace chat {

using Room = volt::Broadcaster<std::string>;

class Rooms {
 public:
  using Shareable = void;  // handlers may modify it: it does its own locking

  std::shared_ptr<const Room> enter(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(rooms_, [](const auto& entry) { return entry.second.expired(); });
    std::shared_ptr<const Room> room = rooms_[name].lock();
    if (!room) rooms_[name] = room = std::make_shared<const Room>(kLinesBehindMax);
    return room;
  }

 private:
  static constexpr std::size_t kLinesBehindMax = 64;  // a visitor that falls further behind loses the oldest lines

  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const Room>> rooms_;
};

}  // namespace chat
