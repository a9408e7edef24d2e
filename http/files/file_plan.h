// SPDX-License-Identifier: MIT

// Plans the response that carries a file. The plan depends only on the request's fields and the file's metadata, and is
// complete before a byte is sent. The server then sends the head and the segments.
//
// Threads: pure functions, except that the boundary between several ranges is random.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "http/files/file_options.h"
#include "http/files/internal/file_metadata.h"
#include "http/files/internal/segment.h"
#include "http/message/headers.h"
#include "http/message/method.h"
#include "http/message/status.h"

namespace volt::http::files {

// The part of every response that depends on the options only, computed once.
struct FilePolicy {
  FieldList fields;  // fields of 200, 206 and 304: Cache-Control, Vary, and FileOptions::headers
};

// Makes the policy at start-up. Throws std::invalid_argument for a header that is malformed or that the server or the
// plan sets itself, and for `immutable` without `max_age`.
FilePolicy make_policy(const FileOptions& options);

struct FilePlan {
  Status status = Status::ok;          // 200, 206, 304, 412 or 416
  FieldList fields = {};               // without Date, Connection, Content-Length and Content-Type
  std::string content_type = {};       // empty: none
  std::uint64_t content_bytes = 0;     // value of Content-Length where the status has one, also for HEAD
  bool head_only = false;              // for HEAD: there are no segments, whatever content_bytes is
  std::vector<Segment> segments = {};  // unless head_only, their sizes add up to content_bytes
};

// Plans a response. `method` must be GET or HEAD. Conditions are evaluated by RFC 9110 section 13.2.2. Ranges are
// evaluated for GET only, from the first Range line. `now` is the Date of the response; Last-Modified is never later
// than `now` (section 8.8.2.1).
FilePlan plan_file(Method method, const Fields& request, const FileMetadata& metadata, const FilePolicy& policy,
                   std::chrono::sys_seconds now);

}  // namespace volt::http::files
