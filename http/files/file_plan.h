// The plan of an answer that carries a file: decided as a whole, before a byte is sent, from the request's fields and
// what is known of the file. The server writes the head and pays the segments.
//
// Threads: pure functions but for the random boundary of several ranges.
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

// What the options say of every answer, made once.
struct FilePolicy {
  FieldList fields;  // of 200, 206 and 304: Cache-Control, Vary, and those of the options
};

// Throws std::invalid_argument for a header that is malformed or that the server or the plan writes itself, and for
// `immutable` without `max_age`: at start-up, where the options are given.
FilePolicy make_policy(const FileOptions& options);

struct FilePlan {
  Status status = Status::ok;          // 200, 206, 304, 412 or 416
  FieldList fields = {};               // without Date, Connection, Content-Length and Content-Type
  std::string content_type = {};       // empty: none
  std::uint64_t content_bytes = 0;     // Content-Length where the status has one, also of an answer to HEAD
  bool head_only = false;              // HEAD: there are no segments, whatever content_bytes says
  std::vector<Segment> segments = {};  // else they owe content_bytes together
};

// `method` is GET or HEAD. Conditions as of RFC 9110 section 13.2.2; ranges only for GET, from the first Range line.
// `now`: the Date of the answer; Last-Modified is never later (section 8.8.2.1).
FilePlan plan_file(Method method, const Fields& request, const FileMetadata& metadata, const FilePolicy& policy,
                   std::chrono::sys_seconds now);

}  // namespace volt::http::files
