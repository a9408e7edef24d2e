// SPDX-License-Identifier: MIT

// Rooms: the rooms that have visitors. A room is a broadcaster of lines; it is destroyed when its last visitor leaves.
//
// Threads: any. Lifetime: the rooms must outlive their places.
#pragma once

#include <runtime/broadcast.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace chat {

class Rooms {
 private:
  struct Room {
    volt::Broadcaster<std::string> lines{kLinesBehindMax};
    std::size_t visitors = 0;  // guarded by mutex_
  };
  using Named = std::map<std::string, Room>;

 public:
  using Shareable = void;  // handlers may modify it: it does its own locking

  // A visitor's place in a room, until it is destroyed.
  class Place {
   public:
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { rooms_.leave(room_); }

    [[nodiscard]] volt::Subscriber<std::string> subscribe() const { return room_->second.lines.subscribe(); }
    void send(std::string line) const { room_->second.lines.send(std::move(line)); }
    // Returns the number of visitors in the room, this one included.
    [[nodiscard]] std::size_t visitors() const {
      const std::scoped_lock lock(rooms_.mutex_);
      return room_->second.visitors;
    }

   private:
    friend class Rooms;
    Place(Rooms& rooms, Named::iterator room) : rooms_(rooms), room_(room) {}

    Rooms& rooms_;
    const Named::iterator room_;
  };

  // Returns a place in the room of this name, which is created if it does not exist.
  [[nodiscard]] Place enter(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    const auto room = rooms_.try_emplace(name).first;
    ++room->second.visitors;
    return {*this, room};
  }

 private:
  static constexpr std::size_t kLinesBehindMax = 64;  // a visitor that falls further behind loses the oldest lines

  void leave(Named::iterator room) {
    const std::scoped_lock lock(mutex_);
    if (--room->second.visitors == 0) rooms_.erase(room);
  }

  std::mutex mutex_;
  Named rooms_;
};

}  // namespace chat
