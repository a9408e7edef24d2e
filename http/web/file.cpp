// SPDX-License-Identifier: MIT

#include "http/web/file.h"

#include <chrono>
#include <expected>
#include <utility>

#include "http/files/content_disposition.h"
#include "http/files/file_options.h"
#include "http/files/file_plan.h"
#include "http/files/open_file.h"
#include "http/files/stored_file.h"
#include "http/web/internal/file_response.h"
#include "runtime/blocking.h"
#include "runtime/wall_clock.h"

namespace volt::http {

struct File::Opened {
  std::expected<files::OpenFile, files::FileError> file;
};

File::File(std::string path) : path_(std::move(path)) {}
File::File(File&& other) noexcept = default;
File& File::operator=(File&& other) noexcept = default;
File::~File() = default;

Task<File> File::open(std::string path) {
  File file(std::move(path));
  co_await blocking([&] { file.opened_ = std::make_unique<Opened>(files::open_path(file.path_)); });
  co_return file;
}

File& File::download_as(std::string_view name) & {
  disposition_ = files::attachment(name);
  return *this;
}

File& File::content_type(std::string type) & {
  content_type_ = std::move(type);
  return *this;
}

File& File::max_age(std::chrono::seconds age) & noexcept {
  max_age_ = age;
  return *this;
}

Response File::into_response(const Request& request) && {
  auto file = opened_ ? std::move(opened_->file) : files::open_path(path_);
  if (!file) return web::error_response(file.error(), request);
  if (!content_type_.empty()) file->metadata.media_type = content_type_;
  FileOptions options{.max_age = max_age_};
  if (!disposition_.empty()) options.headers.emplace_back("Content-Disposition", disposition_);
  const files::FilePolicy policy = files::make_policy(options);
  const auto now = wall_second();
  auto stored = files::store_file(*std::move(file), policy, now, files::Waiting::allowed);
  if (!stored) return web::error_response(stored.error(), request);
  // Conditions and ranges apply to the requested resource, which only GET and HEAD return. The response to any other
  // method has the whole file.
  const bool reads = request.method() == Method::get || request.method() == Method::head;
  if (!reads) return web::file_response(*stored, (*stored)->whole, request);
  const auto plan = files::plan_file(request.method(), request.headers(), (*stored)->metadata, policy, now);
  return web::file_response(*stored, plan, request);
}

}  // namespace volt::http
