// SPDX-License-Identifier: MIT

// Two threads without a pool allocate blocks of a shared frame pool and free them, while a worker frees others. No
// block may have two users at a time, or be lost. The pools are the runtime's.
#pragma once

#include <array>
#include <set>

#include "runtime/coro/frame_pool.h"
#include "runtime/coro/shared_frame_pool.h"
#include "tests/model/body.h"

namespace volt::model {

// A fault that is left in on purpose; the explorer must find it.
enum class SharedFrameFault : std::uint8_t {
  none,
  used_as_own,  // a thread without a pool uses the shared one without its lock, as if it were a worker's
};

template <SharedFrameFault kFault = SharedFrameFault::none>
class SharedFramePoolBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  SharedFramePoolBody() {
    for (Frame*& frame : frames_) frame = allocate();
  }

  void thread(unsigned index) override {
    if (index != 2) return use_block();
    worker_frees();
  }

  void finish() override {
    require(shared_.outstanding() == 0, "every block is back in the shared pool");
    if (!coro::FramePool::kPools) return;
    std::set<Frame*> handed_out;
    for (std::size_t i = 0; i != kThreads + 1; ++i) {
      require(handed_out.insert(allocate()).second, "no block is handed out twice");
    }
    for (Frame* frame : handed_out) free(*frame);
  }

 private:
  struct Frame {
    void* first_words[2] = {};  // the pool uses them while the block is free
    int users = 0;              // not atomic: two users are a race
  };

  Frame* allocate() {
    auto* frame = ::new (shared_.allocate(sizeof(Frame))) Frame;
    ++frame->users;
    return frame;
  }
  void free(Frame& frame) {
    require(--frame.users == 0, "a block has one user");
    shared_.deallocate(&frame, sizeof(Frame));
  }

  void use_block() {
    Frame* frame = allocate();
    if (kFault != SharedFrameFault::used_as_own) return free(*frame);
    --frame->users;
    coro::FramePool::deallocate(frame, sizeof(Frame), coro::FramePool::home_of(frame));
  }

  void worker_frees() {
    coro::FramePool mine;
    for (Frame* frame : frames_) {
      --frame->users;
      coro::FramePool::deallocate(frame, sizeof(Frame), &mine);
    }
    mine.flush_returns();
  }

  coro::SharedFramePool shared_;
  std::array<Frame*, 2> frames_{};
};

}  // namespace volt::model
