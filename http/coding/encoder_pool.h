// SPDX-License-Identifier: MIT

// Keeps idle encoders of one worker, so that a response need not allocate and clear an encoder's memory.
//
// Threads: no locks; each worker has its own pool. Since a coroutine may change workers between take() and give_back(),
// an encoder belongs to no pool while it is in use: give it to the pool of the current worker, or destroy it.
//
// Each list of idle encoders is a stack. The encoders at its bottom, as many as were left when it was shortest, have
// not been used since then. give_back() frees those every kSurplusInterval. Otherwise a burst of large responses would
// leave megabytes to each worker. The pool of a worker that has become idle keeps the encoders that it has.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "http/coding/encoding_levels.h"
#include "http/coding/internal/encoder.h"

namespace volt::http::coding {

struct EncoderPoolOptions {
  std::size_t idle_max = 4;  // per coding: how many idle encoders are kept
  EncodingLevels levels;
};

class EncoderPool {
 public:
  static constexpr auto kSurplusInterval = std::chrono::seconds(10);

  explicit EncoderPool(const EncoderPoolOptions& options = {}) noexcept : options_(options) {}

  // Returns an idle encoder of the pool, or makes one. `coding` must satisfy can_encode().
  std::unique_ptr<Encoder> take(ContentCoding coding);
  // Resets `encoder`, whatever its state, and keeps it for take(). If idle_max encoders of its coding are idle already,
  // destroys it instead. `encoder` must have been made with this pool's levels. `now` is the monotonic time.
  void give_back(std::unique_ptr<Encoder> encoder, std::chrono::nanoseconds now);

  std::size_t idle(ContentCoding coding) const noexcept { return idle_encoders(coding).stack.size(); }

 private:
  struct IdleEncoders {
    std::vector<std::unique_ptr<Encoder>> stack;
    std::size_t surplus = 0;  // the length of the stack when it was shortest since the last free_surplus()
  };

  int level(ContentCoding coding) const noexcept;
  void free_surplus(std::chrono::nanoseconds now) noexcept;
  IdleEncoders& idle_encoders(ContentCoding coding) noexcept {
    return idle_encoders_[static_cast<std::size_t>(coding)];
  }
  const IdleEncoders& idle_encoders(ContentCoding coding) const noexcept {
    return idle_encoders_[static_cast<std::size_t>(coding)];
  }

  EncoderPoolOptions options_;
  std::array<IdleEncoders, kContentCodings> idle_encoders_;
  std::chrono::nanoseconds next_free_{0};
};

}  // namespace volt::http::coding
