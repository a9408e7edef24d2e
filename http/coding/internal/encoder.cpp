// SPDX-License-Identifier: MIT

#include "http/coding/internal/encoder.h"

#include "http/coding/encoding_levels.h"
#include "http/coding/internal/coders.h"
#include "runtime/base/check.h"

namespace volt::http::coding {

void Encoder::encode_once(std::string_view in, FlushMode flush_mode, std::string& out) {
  VOLT_CHECK(!finished_);
  finished_ = flush_mode == FlushMode::end;
  encode(in, flush_mode, out);
}

void Encoder::reset() {
  finished_ = false;
  restart();
}

std::unique_ptr<Encoder> make_encoder(ContentCoding coding, std::optional<int> level) {
  VOLT_CHECK(can_encode(coding));
  const int chosen = level.value_or(default_level(coding));
  if (coding == ContentCoding::gzip) return make_gzip_encoder(chosen);
  if (coding == ContentCoding::br) return make_brotli_encoder(chosen);
  return make_zstd_encoder(chosen);
}

std::string encode_whole(ContentCoding coding, std::string_view content, std::optional<int> level) {
  if (coding == ContentCoding::identity) return std::string(content);
  std::string out;
  make_encoder(coding, level)->finish(content, out);
  return out;
}

}  // namespace volt::http::coding
