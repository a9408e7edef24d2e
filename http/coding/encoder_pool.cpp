// SPDX-License-Identifier: MIT

#include "http/coding/encoder_pool.h"

#include <utility>

namespace volt::http::coding {

std::unique_ptr<Encoder> EncoderPool::take(ContentCoding coding) {
  IdleEncoders& idle = idle_encoders(coding);
  if (idle.empty()) return make_encoder(coding, level(coding));
  std::unique_ptr<Encoder> encoder = std::move(idle.back());
  idle.pop_back();
  return encoder;
}

void EncoderPool::give_back(std::unique_ptr<Encoder> encoder) {
  IdleEncoders& idle = idle_encoders(encoder->coding());
  if (idle.size() == options_.idle_max) return;
  encoder->reset();
  idle.push_back(std::move(encoder));
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
