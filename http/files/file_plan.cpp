// SPDX-License-Identifier: MIT

#include "http/files/file_plan.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "http/files/internal/multipart_ranges.h"
#include "http/files/preconditions.h"
#include "http/message/http_date.h"

namespace volt::http::files {
namespace {

using std::chrono::sys_seconds;

void require_free(std::string_view name) {
  constexpr std::string_view kWritten[] = {
      "content-length", "transfer-encoding", "connection",    "date", "keep-alive",    "upgrade",      "te", "trailer",
      "content-type",   "content-encoding",  "content-range", "etag", "last-modified", "accept-ranges"};
  const bool written =
      std::ranges::any_of(kWritten, [&](std::string_view known) { return message::equal_ignoring_case(name, known); });
  if (written) throw std::invalid_argument("header field is set by the file server and cannot be configured");
}

std::string cache_control(const FileOptions& options) {
  const bool fresh = options.max_age > std::chrono::seconds(0);
  if (options.immutable && !fresh) throw std::invalid_argument("immutable files need a max_age");
  if (!fresh) return "no-cache";
  const std::string max_age = "max-age=" + std::to_string(options.max_age.count());
  return options.immutable ? max_age + ", immutable" : max_age;
}

void add_validators(FieldList& fields, const FileMetadata& metadata, sys_seconds now) {
  const Validators current = validators(metadata);
  if (current.etag) fields.set("ETag", to_text(*current.etag));
  fields.set("Last-Modified", message::HttpDate(std::min(*current.last_modified, now)).view());
}

// Plans a 304. It carries the fields that a cache needs to update its entry. Last-Modified is omitted if there is a tag
// (RFC 9110 section 15.4.5).
FilePlan not_modified(const FileMetadata& metadata, const FilePolicy& policy, sys_seconds now) {
  FilePlan plan{.status = Status::not_modified, .fields = policy.fields};
  add_validators(plan.fields, metadata, now);
  if (!metadata.etag.empty()) plan.fields.remove("Last-Modified");
  return plan;
}

FilePlan unsatisfiable(const FileMetadata& metadata) {
  FilePlan plan{.status = Status::range_not_satisfiable};
  plan.fields.set("Content-Range", unsatisfied_content_range(metadata.size_bytes));
  return plan;
}

// Plans a response with the whole file. The caller may then narrow it to ranges.
FilePlan whole(const FileMetadata& metadata, const FilePolicy& policy, sys_seconds now) {
  FilePlan plan{.status = Status::ok, .fields = policy.fields};
  add_validators(plan.fields, metadata, now);
  plan.fields.set("Accept-Ranges", "bytes");
  if (!metadata.coding.empty()) plan.fields.set("Content-Encoding", metadata.coding);
  plan.content_type = metadata.media_type;
  plan.content_bytes = metadata.size_bytes;
  if (metadata.size_bytes > 0) plan.segments.emplace_back(ByteRange{0, metadata.size_bytes});
  return plan;
}

void narrow(FilePlan& plan, const std::vector<ByteRange>& ranges, const FileMetadata& metadata) {
  plan.status = Status::partial_content;
  if (ranges.size() == 1) {  // a single requested range is never sent as multipart (section 15.3.7.2)
    plan.fields.set("Content-Range", content_range(ranges.front(), metadata.size_bytes));
    plan.content_bytes = ranges.front().bytes;
    plan.segments = {ranges.front()};
    return;
  }
  MultipartRanges parts = compose_multipart(ranges, metadata.size_bytes, metadata.media_type, random_boundary());
  plan.content_type = std::move(parts.content_type);
  plan.content_bytes = parts.content_bytes;
  plan.segments = std::move(parts.segments);
}

RangeSelection selection(Method method, const Fields& request, const FileMetadata& metadata, sys_seconds now) {
  if (method != Method::get) return {};      // section 14.2: Range applies to GET only
  const auto range = request.find("range");  // the first of several fields, as in other servers
  if (!range || !range_applies(request, validators(metadata), now)) return {};
  return select_ranges(*range, metadata.size_bytes);
}

FilePlan plan_content(Method method, const Fields& request, const FileMetadata& metadata, const FilePolicy& policy,
                      sys_seconds now) {
  const RangeSelection selected = selection(method, request, metadata, now);
  if (selected.kind == RangeSelection::Kind::unsatisfiable) return unsatisfiable(metadata);
  FilePlan plan = whole(metadata, policy, now);
  if (selected.kind == RangeSelection::Kind::ranges) narrow(plan, selected.ranges, metadata);
  return plan;
}

}  // namespace

FilePolicy make_policy(const FileOptions& options) {
  FilePolicy policy;
  policy.fields.set("Cache-Control", cache_control(options));
  if (options.precompressed) policy.fields.set("Vary", "Accept-Encoding");
  for (const auto& [name, value] : options.headers) {
    require_free(name);
    if (message::equal_ignoring_case(name, "vary")) {
      policy.fields.add(name, value);
    } else {
      policy.fields.set(name, value);
    }
  }
  return policy;
}

FilePlan plan_file(Method method, const Fields& request, const FileMetadata& metadata, const FilePolicy& policy,
                   sys_seconds now) {
  FilePlan plan{.status = Status::precondition_failed};
  switch (evaluate_preconditions(method, request, validators(metadata), now)) {
    case Verdict::precondition_failed:
      break;
    case Verdict::not_modified:
      plan = not_modified(metadata, policy, now);
      break;
    case Verdict::proceed:
      plan = plan_content(method, request, metadata, policy, now);
      break;
  }
  plan.head_only = method == Method::head;
  if (plan.head_only) plan.segments.clear();
  return plan;
}

}  // namespace volt::http::files
