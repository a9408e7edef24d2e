// SPDX-License-Identifier: MIT

#include "http/multipart/internal/file_writer.h"

#include <system_error>
#include <utility>

#include "runtime/blocking.h"

namespace volt::http::multipart {
namespace {

constexpr std::size_t kGatheredBytesMax = 256 * 1024;

void require(const Result<void>& outcome, const char* what) {
  if (!outcome) throw std::system_error(outcome.error(), what);
}

}  // namespace

Task<> FileWriter::create(std::string path) {
  const Result<void> created = co_await blocking([this, &path] { return file_.create(std::move(path)); });
  require(created, "creating a file");
}

Task<> FileWriter::create_nameless(std::string_view directory) {
  const std::string name(directory);
  const Result<void> created = co_await blocking([this, &name] { return file_.create_nameless(name); });
  require(created, "creating a temporary file");
}

Task<> FileWriter::write(std::string_view piece) {
  gathered_ += piece;
  if (gathered_.size() < kGatheredBytesMax) co_return;
  co_await flush();
}

Task<> FileWriter::flush() {
  if (gathered_.empty()) co_return;
  const Result<void> appended = co_await blocking([this] { return file_.append(gathered_); });
  require(appended, "writing a file");
  gathered_.clear();
}

Task<> FileWriter::keep() {
  co_await flush();
  const Result<void> kept = co_await blocking([this] { return file_.keep(); });
  require(kept, "writing a file");
}

}  // namespace volt::http::multipart
