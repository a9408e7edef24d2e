// SPDX-License-Identifier: MIT

#include "http/web/internal/file_response.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "http/files/file_path.h"
#include "http/message/ascii.h"
#include "http/web/body_writer.h"
#include "http/web/problem.h"

namespace volt::http::web {
namespace {

using files::ByteRange;
using files::Segment;
using files::SharedFile;

std::string_view view_of(const files::StoredFile& file, const ByteRange& range) noexcept {
  return std::string_view(file.content).substr(range.begin, range.bytes);
}

class SegmentsBody final : public StreamBody {
 public:
  SegmentsBody(SharedFile file, std::vector<Segment> segments, std::uint64_t size) noexcept
      : file_(std::move(file)), segments_(std::move(segments)), size_(size) {}

  [[nodiscard]] Task<> write_to(BodyWriter& out) override {
    for (const Segment& segment : segments_) co_await write(out, segment);
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override { return size_; }

 private:
  Task<> write(BodyWriter& out, const Segment& segment) const {
    if (const auto* text = std::get_if<std::string>(&segment)) return out.write(*text);
    const ByteRange& range = std::get<ByteRange>(segment);
    if (file_->in_memory()) return out.write(view_of(*file_, range));
    return out.write_file(file_->descriptor.get(), range.begin, range.bytes);
  }

  SharedFile file_;
  std::vector<Segment> segments_;
  std::uint64_t size_;
};

// Appends the bytes of the segment. Returns false if they cannot be read without blocking.
bool append(const files::StoredFile& file, const Segment& segment, std::string& body) {
  if (const auto* text = std::get_if<std::string>(&segment)) {
    body += *text;
    return true;
  }
  const ByteRange& range = std::get<ByteRange>(segment);
  if (file.in_memory()) {
    body += view_of(file, range);
    return true;
  }
  const std::size_t before = body.size();
  body.resize(before + static_cast<std::size_t>(range.bytes));
  const std::span<char> room = std::span(body).subspan(before);
  return files::read_exactly(file.descriptor.get(), range.begin, room, files::Waiting::refused).has_value();
}

std::optional<std::string> gathered(const files::StoredFile& file, const files::FilePlan& plan) {
  std::string body;
  if (plan.head_only || plan.content_bytes > files::kSmallFileBytesMax) return std::nullopt;
  body.reserve(static_cast<std::size_t>(plan.content_bytes));
  for (const Segment& segment : plan.segments) {
    if (!append(file, segment, body)) return std::nullopt;
  }
  return body;
}

}  // namespace

Response file_response(const SharedFile& file, const files::FilePlan& plan, const Request& request) {
  if (code(plan.status) >= 400) {
    Response refusal = Problem(plan.status).to_response(request.id());
    refusal.set_headers(plan.fields);
    return refusal;
  }
  Response response(plan.status);
  response.set_headers(plan.fields);
  if (!plan.content_type.empty()) response.header("Content-Type", plan.content_type);
  if (auto body = gathered(*file, plan)) {
    response.replace_body(*std::move(body));
  } else {
    response.replace_body(std::make_unique<SegmentsBody>(file, plan.segments, plan.content_bytes));
  }
  return response;
}

Response error_response(files::FileError error, const Request& request) {
  if (error == files::FileError::lacks_slash) {
    return std::move(Response(files::status_for(error))
                         .header("Location", files::location_with_slash(request.path(), request.query())));
  }
  return Problem(files::status_for(error)).to_response(request.id());
}

bool is_unconditional(const Fields& request) noexcept {
  for (const Field& field : request) {
    const bool condition = field.name.size() >= 8 && message::equal_ignoring_case(field.name.substr(0, 3), "if-");
    if (condition || message::equal_ignoring_case(field.name, "range")) return false;
  }
  return true;
}

}  // namespace volt::http::web
