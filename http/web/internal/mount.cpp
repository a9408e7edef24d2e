// SPDX-License-Identifier: MIT

#include "http/web/internal/mount.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "http/coding/content_coding.h"
#include "http/coding/negotiation.h"
#include "http/web/internal/file_response.h"
#include "runtime/blocking.h"
#include "runtime/per_worker.h"
#include "runtime/wall_clock.h"

namespace volt::http::web {
namespace {

using files::FileError;
using files::Waiting;

files::Directory opened(const std::string& path, FileOptions options) {
  auto directory = files::Directory::open(path, std::move(options));
  if (!directory) throw std::system_error(directory.error(), "directory '" + path + "'");
  return std::move(*directory);
}

// The content codings that the client accepts and prefers to identity, best first.
std::vector<std::string_view> codings_of(const Fields& request) {
  std::vector<coding::ContentCoding> offered(coding::kPreferredCodings.begin(), coding::kPreferredCodings.end());
  std::vector<std::string_view> codings;
  while (!offered.empty()) {
    const auto best = coding::choose_coding(request, offered);
    if (!best || *best == coding::ContentCoding::identity) break;
    codings.push_back(coding::to_string(*best));
    std::erase(offered, *best);
  }
  return codings;
}

}  // namespace

Mount::Mount(const std::string& directory, FileOptions options)
    : directory_(opened(directory, std::move(options))),
      policy_(files::make_policy(directory_.options())),
      cache_({.bytes_max = directory_.options().cache_bytes_max, .reload_after = directory_.options().reload_after}) {}

Mount::Wanted Mount::wanted_by(const Request& request, std::string_view escaped) const {
  Wanted wanted{.escaped = escaped, .codings = {}, .key = {}};
  if (directory_.options().precompressed) wanted.codings = codings_of(request.headers());
  wanted.key = wanted.escaped;
  for (const std::string_view coding : wanted.codings)
    wanted.key.append(" ").append(coding);  // A space cannot occur in the path, so keys are unique.
  return wanted;
}

Mount::Found Mount::load(const Wanted& wanted, Waiting waiting) const {
  return files::load_file(directory_, policy_, wanted.escaped, wanted.codings, wall_second(), waiting);
}

Task<Mount::Found> Mount::load_later(const Wanted& wanted) const {
  try {
    co_return co_await blocking([&] { return load(wanted, Waiting::allowed); });
  } catch (const std::system_error&) {  // Decided: the queue of the blocking threads is full.
    co_return std::unexpected(FileError::overloaded);
  }
}

void Mount::remember(const Wanted& wanted, const Found& found) {
  if (found) {
    cache_.put(wanted.key, *found, coarse_now());
  } else {
    cache_.remove(wanted.key);
  }
}

Task<Response> Mount::serve(Request& request) {
  const Wanted wanted = wanted_by(request, request.params().raw(request.param_count() - 1));
  if (files::SharedFile cached = cache_.find(wanted.key, coarse_now())) co_return respond(request, Found(cached));
  const Found found = co_await load_anew(wanted);
  co_return respond(request, found);
}

Task<Mount::Found> Mount::find(const Request& request, std::string_view escaped) {
  const Wanted wanted = wanted_by(request, escaped);
  if (files::SharedFile cached = cache_.find(wanted.key, coarse_now())) co_return Found(cached);
  co_return co_await load_anew(wanted);
}

Task<Mount::Found> Mount::load_anew(const Wanted& wanted) {
  Found found = load(wanted, Waiting::refused);
  if (!found && found.error() == FileError::would_block) {
    found = co_await load_later(wanted);
  }
  remember(wanted, found);
  co_return found;
}

Response Mount::respond(const Request& request, const Found& found) const {
  if (!found) return error_response(found.error(), request);
  if (request.method() == Method::get && is_unconditional(request.headers())) {
    return file_response(*found, (*found)->whole, request);
  }
  const auto plan = files::plan_file(request.method(), request.headers(), (*found)->metadata, policy_, wall_second());
  return file_response(*found, plan, request);
}

Response redirect_to_mount(const Request& request) { return error_response(FileError::lacks_slash, request); }

}  // namespace volt::http::web
