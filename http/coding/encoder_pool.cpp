// SPDX-License-Identifier: MIT

#include "http/coding/encoder_pool.h"

#include <algorithm>
#include <utility>

namespace volt::http::coding {

std::unique_ptr<Encoder> EncoderPool::take(ContentCoding coding) {
  IdleEncoders& idle = idle_encoders(coding);
  if (idle.stack.empty()) return make_encoder(coding, level(coding));
  std::unique_ptr<Encoder> encoder = std::move(idle.stack.back());
  idle.stack.pop_back();
  idle.surplus = std::min(idle.surplus, idle.stack.size());
  return encoder;
}

void EncoderPool::give_back(std::unique_ptr<Encoder> encoder, std::chrono::nanoseconds now) {
  IdleEncoders& idle = idle_encoders(encoder->coding());
  if (idle.stack.size() != options_.idle_max) {
    encoder->reset();
    idle.stack.push_back(std::move(encoder));
  }
  if (now >= next_free_) free_surplus(now);
}

void EncoderPool::free_surplus(std::chrono::nanoseconds now) noexcept {
  for (IdleEncoders& idle : idle_encoders_) {
    idle.stack.erase(idle.stack.begin(), idle.stack.begin() + static_cast<std::ptrdiff_t>(idle.surplus));
    idle.surplus = idle.stack.size();
  }
  next_free_ = now + kSurplusInterval;
}

int EncoderPool::level(ContentCoding coding) const noexcept {
  switch (coding) {
      // clang-format off
    case ContentCoding::gzip:     return options_.levels.gzip;
    case ContentCoding::br:       return options_.levels.br;
    case ContentCoding::zstd:     return options_.levels.zstd;
    case ContentCoding::identity: return default_level(coding);
    case ContentCoding::deflate:  return default_level(coding);
      // clang-format on
  }
  std::unreachable();
}

}  // namespace volt::http::coding
