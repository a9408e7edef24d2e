// Idle encoders of one worker, so that an answer need not wait for memory to be found and cleared.
//
// Threads: no locks; each worker keeps its own. Since a coroutine may change workers between take() and give_back(),
// an encoder belongs to no pool while it is out: give it to that of the worker you are on, or let it die.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "http/coding/encoding_levels.h"
#include "http/coding/internal/encoder.h"

namespace volt::http::coding {

struct EncoderPoolOptions {
  std::size_t idle_max = 4;  // of each coding: what is kept when all answers are done
  EncodingLevels levels;
};

class EncoderPool {
 public:
  explicit EncoderPool(const EncoderPoolOptions& options = {}) noexcept : options_(options) {}

  // An idle encoder, or a new one. `coding` must be one that can_encode().
  std::unique_ptr<Encoder> take(ContentCoding coding);
  // Whatever it was doing, it is reset. Encoders of one pool must all have its levels.
  void give_back(std::unique_ptr<Encoder> encoder);

  std::size_t idle(ContentCoding coding) const noexcept { return idle_encoders(coding).size(); }

 private:
  using IdleEncoders = std::vector<std::unique_ptr<Encoder>>;

  int level(ContentCoding coding) const noexcept;
  IdleEncoders& idle_encoders(ContentCoding coding) noexcept {
    return idle_encoders_[static_cast<std::size_t>(coding)];
  }
  const IdleEncoders& idle_encoders(ContentCoding coding) const noexcept {
    return idle_encoders_[static_cast<std::size_t>(coding)];
  }

  EncoderPoolOptions options_;
  std::array<IdleEncoders, kContentCodings> idle_encoders_;
};

}  // namespace volt::http::coding
