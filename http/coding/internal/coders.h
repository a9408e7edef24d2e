// SPDX-License-Identifier: MIT

// The functions that make encoders and decoders. Each compression library is used in one .cpp only, which defines the
// functions for its codings; other code sees only these functions.
//
// Threads: pure functions. Errors: std::bad_alloc.
#pragma once

#include <memory>

#include "http/coding/internal/decoder.h"
#include "http/coding/internal/encoder.h"

namespace volt::http::coding {

std::unique_ptr<Encoder> make_gzip_encoder(int level);
std::unique_ptr<Decoder> make_gzip_decoder(const DecodeLimits& limits);
std::unique_ptr<Decoder> make_deflate_decoder(const DecodeLimits& limits);  // the zlib format, RFC 1950

std::unique_ptr<Encoder> make_brotli_encoder(int level);
std::unique_ptr<Decoder> make_brotli_decoder(const DecodeLimits& limits);

std::unique_ptr<Encoder> make_zstd_encoder(int level);
std::unique_ptr<Decoder> make_zstd_decoder(const DecodeLimits& limits);

}  // namespace volt::http::coding
