// SPDX-License-Identifier: MIT

// Blocks of a frame pool are freed by another worker and by a thread without a pool, while the home worker allocates
// again and ends. No block may be handed out twice or be lost, and the home worker may reuse a block only after the
// last write of the thread that freed it. The pools are the runtime's.
#pragma once

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "runtime/coro/frame_pool.h"
#include "tests/model/body.h"

namespace volt::model {

// Faults that are left in on purpose; the explorer must find each of them.
enum class FrameFault : std::uint8_t {
  none,
  no_flush,    // a worker ends without sending the blocks that it has collected to their home
  stale_pool,  // a task that has moved frees a block with the pool of the worker on which it began
};

template <FrameFault kFault = FrameFault::none>
class FramePoolBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  FramePoolBody() {
    for (Frame*& frame : frames_) frame = allocate();
  }

  void thread(unsigned index) override {
    if (index == 0) own();
    if (index == 1) {
      free(*frames_[0], kFault == FrameFault::stale_pool ? &home_ : &other_);
      free(*frames_[1], &other_);
      if (kFault != FrameFault::no_flush) other_.flush_returns();
    }
    if (index == 2) free(*frames_[2], nullptr);
  }

  void finish() override {
    require(home_.outstanding() == 0, "every block is back in its home pool");
    if (!coro::FramePool::kPools) return;
    const std::size_t count = known_count_;
    std::set<Frame*> handed_out;
    for (std::size_t i = 0; i != count; ++i)
      require(handed_out.insert(allocate()).second, "no block is handed out twice");
    require(known_count_ == count, "no block is lost");
    for (Frame* frame : handed_out) free(*frame, &home_);
  }

 private:
  static constexpr std::size_t kFramesMax = 8;
  struct Frame {
    void* first_words[2] = {};  // the pool uses them while the block is free
    int value = 0;
  };

  Frame* allocate() {
    auto* frame = ::new (home_.allocate(sizeof(Frame))) Frame;
    const std::span known(known_.data(), known_count_);
    if (std::ranges::find(known, frame) == known.end()) known_[known_count_++] = frame;
    return frame;
  }

  static void free(Frame& frame, coro::FramePool* pool) {
    frame.value = 1;
    coro::FramePool::deallocate(&frame, sizeof(Frame), pool);
  }

  void own() {
    Frame* first = allocate();
    Frame* second = allocate();
    require(first != second, "a block that is in use is not handed out");
    free(*first, &home_);
    free(*second, &home_);
    home_.trim(kFramesMax);
    home_.flush_returns();  // the worker ends
  }

  coro::FramePool home_;
  coro::FramePool other_;
  std::array<Frame*, 3> frames_{};
  std::array<Frame*, kFramesMax> known_{};  // the blocks that were ever handed out
  std::size_t known_count_ = 0;
};

}  // namespace volt::model
