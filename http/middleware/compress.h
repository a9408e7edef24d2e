// Middleware for content codings, both ways: answers are compressed as the client can take it, requests decompressed.
//
//   app.use(http::compress(), http::etag());
//   api.use(http::decompress(), http::body_limit(1_MiB));
//
// Secrets: who can make a client send requests, and sees how long the answers are, can guess a secret in a compressed
// answer that also repeats some of the request (the attack BREACH). Do not compress such answers: give them
// `Cache-Control: no-transform`, or keep their routes out of the group that compresses.
//
// Threads: factories, called while the app is built. What they make may run on any worker; each keeps its own encoders.
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
  std::size_t bytes_min = 1024;  // smaller bodies are left alone, where the size is known
  // Best first, of those that a client takes equally gladly.
  std::vector<ContentCoding> codings = {coding::kPreferredCodings.begin(), coding::kPreferredCodings.end()};
  EncodingLevels levels = {};
  std::size_t idle_encoders_max = 4;  // of each coding, kept by each worker
  // text/event-stream too, an event at a time. Each open stream then holds an encoder: 0.3 to 3 MiB.
  bool event_streams = false;
};

// Compresses text, and what is as sparse as text: see http/coding/compressible.h for what is left alone. Owned, fixed
// and streamed bodies; what a stream flushes is decodable when it arrives. An answer to HEAD has the fields that GET's
// would have. Sets Vary and Content-Encoding, and makes the ETag that of the coded form: weak, and other for each coding
// (`"a"` becomes `W/"a-br"`). If-None-Match is compared with that here, so that clients revalidate what they have.
// If-Match with such a tag never matches, since it is weak (RFC 9110 section 13.1.1): a client that wants to change
// what it has read asks for `Accept-Encoding: identity`. A coded answer has no Accept-Ranges.
// Cost: one frame a request; an answer that is compressed, its new body; a streamed one, a frame a write. Large bodies
// are compressed in turns with other tasks. Throws std::invalid_argument for codings that are only decoded.
[[nodiscard]] Middleware compress(CompressOptions options = {});

// Undoes the request's Content-Encoding, in bounded memory, as its body is read: 415 for a coding that is unknown, 413
// for a bomb and for more than limits.bytes_max, 400 for what is malformed. Handlers and extractors see the decoded
// body; the fields Content-Encoding and Content-Length stay as they came. The server's own limit counts what comes, not
// what becomes of it, which a handler that wants its body whole holds: that is for limits.bytes_max, 8 MiB unless you
// say otherwise, and for a body_limit() further in; one further out counts coded bytes.
// Cost: one frame a request; of one that is coded a decoder besides.
[[nodiscard]] Middleware decompress(DecodeLimits limits = {.bytes_max = 8 * 1024 * 1024});

}  // namespace volt::http
