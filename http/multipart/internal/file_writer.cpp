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
  auto create = [this, &path] { return file_.create(std::move(path)); };
  const Result<void> created = co_await blocking(create);
  require(created, "creating a file");
}

Task<> FileWriter::create_nameless(std::string_view directory) {
  const std::string name(directory);
  auto create = [this, &name] { return file_.create_nameless(name); };
  const Result<void> created = co_await blocking(create);
  require(created, "creating a temporary file");
}

Task<> FileWriter::write(std::string_view piece) {
  gathered_ += piece;
  if (gathered_.size() < kGatheredBytesMax) co_return;
  auto flushing = flush();
  co_await std::move(flushing);
}

Task<> FileWriter::flush() {
  if (gathered_.empty()) co_return;
  auto append = [this] { return file_.append(gathered_); };
  const Result<void> appended = co_await blocking(append);
  require(appended, "writing a file");
  gathered_.clear();
}

Task<> FileWriter::keep() {
  auto flushing = flush();
  co_await std::move(flushing);
  auto keep = [this] { return file_.keep(); };
  const Result<void> kept = co_await blocking(keep);
  require(kept, "writing a file");
}

}  // namespace volt::http::multipart
