// SPDX-License-Identifier: MIT

// Middleware for content codings: compresses responses for clients that accept it, and decompresses requests.
//
//   app.use(http::compress(), http::etag());
//   api.use(http::decompress(), http::body_limit(1_MiB));
//
// Secrets: an attacker who can make a client send requests, and who sees the size of the responses, can guess a secret
// in a compressed response that also repeats part of the request (the BREACH attack). Do not compress such responses:
// set `Cache-Control: no-transform`, or keep their routes out of the group that compresses.
//
// Threads: the factories are called while the app is built. The middleware may run on any worker; each worker keeps its
// own encoders.
// Source: RFC 9110 sections 8.4, 12.5.3, 15.5.16.
#pragma once

#include <cstddef>
#include <vector>

#include "http/coding/content_coding.h"
#include "http/coding/decode_limits.h"
#include "http/coding/encoding_levels.h"
#include "http/web/middleware.h"

namespace volt::http {

using coding::ContentCoding;
using coding::DecodeLimits;
using coding::EncodingLevels;

struct CompressOptions {
  std::size_t bytes_min = 1024;  // smaller bodies are not compressed, if the size is known
  // Codings in order of preference. The order decides among codings that a client accepts with equal weight.
  std::vector<ContentCoding> codings = {coding::kPreferredCodings.begin(), coding::kPreferredCodings.end()};
  EncodingLevels levels = {};
  std::size_t idle_encoders_max = 4;  // encoders of each coding that each worker keeps, if it needs so many in 10 s
  // Compress text/event-stream too, flushing after each event. Each open stream then holds an encoder: 0.3 to 3 MiB.
  bool event_streams = false;
};

// Compresses text and similarly redundant types; http/coding/compressible.h says which responses are left unchanged.
// Handles owned, fixed and streamed bodies; the bytes that a stream flushes are decodable when they arrive. A response
// to HEAD has the fields that the response to GET would have. Sets Vary and Content-Encoding. Replaces the ETag by a
// weak one that is different for each coding: `"a"` becomes `W/"a-br"`. Evaluates If-None-Match with the new tag, so
// that clients can revalidate a compressed response. If-Match never matches a weak tag (RFC 9110 section 13.1.1): a
// client that wants to modify a resource must read it with `Accept-Encoding: identity`. A coded response has no
// Accept-Ranges.
// Cost: one coroutine frame per request; the new body of a compressed response; one frame per write of a streamed body.
// Large bodies are compressed in slices between which other tasks may run. Throws std::invalid_argument for codings
// that can only be decoded.
[[nodiscard]] Middleware compress(CompressOptions options = {});

// Decodes a request's body by its Content-Encoding, in bounded memory, while the body is read. Responds 415 for an
// unknown coding, 413 for a decompression bomb or more than limits.bytes_max, and 400 for malformed data. Handlers and
// extractors see the decoded body; the fields Content-Encoding and Content-Length stay unchanged. The server's own
// limit counts coded bytes. The decoded bytes, which a handler that reads the whole body holds in memory, are limited
// by limits.bytes_max (8 MiB by default) and by a body_limit() that runs after decompress(). A body_limit() that runs
// before decompress() counts coded bytes.
// Cost: one coroutine frame per request, and a decoder for a coded request.
[[nodiscard]] Middleware decompress(DecodeLimits limits = {.bytes_max = 8 * 1024 * 1024});

}  // namespace volt::http
