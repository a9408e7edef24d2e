// Rooms: those in which somebody is. A room is a broadcaster of lines, and goes when the last visitor leaves.
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
  using Shareable = void;  // handlers may change it: it guards itself

  std::shared_ptr<const Room> enter(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(rooms_, [](const auto& entry) { return entry.second.expired(); });
    std::shared_ptr<const Room> room = rooms_[name].lock();
    if (!room) rooms_[name] = room = std::make_shared<const Room>(kLinesBehindMax);
    return room;
  }

 private:
  static constexpr std::size_t kLinesBehindMax = 64;  // whoever reads slower than that loses lines

  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const Room>> rooms_;
};

}  // namespace chat
