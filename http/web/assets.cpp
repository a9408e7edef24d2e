// SPDX-License-Identifier: MIT

#include "http/web/assets.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "http/files/file_path.h"
#include "http/files/hashed_name.h"
#include "http/files/stored_file.h"
#include "http/message/percent.h"
#include "http/web/internal/asset_folder.h"

namespace volt::http {
namespace web {
namespace {

using files::FileError;
using files::Waiting;

FileOptions mount_options(const AssetOptions& options, bool lasting) {
  FileOptions mount{.precompressed = options.precompressed,
                    .index = {},
                    .follow_symlinks = options.follow_symlinks,
                    .cache_bytes_max = options.cache_bytes_max,
                    .headers = options.headers};
  if (lasting) mount.max_age = std::chrono::days(365);
  mount.immutable = lasting;
  if (options.development) mount.reload_after = std::chrono::milliseconds(0);
  return mount;
}

files::Directory opened_for_assets(const std::string& path, const AssetOptions& options) {
  auto directory = files::Directory::open(path, mount_options(options, false));
  if (!directory) throw std::system_error(directory.error(), "directory '" + path + "'");
  return std::move(*directory);
}

// Escapes each name of a path, but not the slashes between them.
std::string escaped_path(std::string_view path) {
  std::string escaped;
  while (true) {
    const std::size_t slash = path.find('/');
    message::append_percent_encoded(path.substr(0, slash), escaped);
    if (slash == std::string_view::npos) return escaped;
    escaped += '/';
    path.remove_prefix(slash + 1);
  }
}

std::string content_of(const files::OpenFile& file, const std::string& name, std::size_t bytes_max) {
  if (file.metadata.size_bytes > bytes_max) {
    throw std::length_error("asset '" + name + "' has more than " + std::to_string(bytes_max) +
                            " bytes: serve it by App::files()");
  }
  std::string content(static_cast<std::size_t>(file.metadata.size_bytes), '\0');
  if (!files::read_exactly(file.descriptor.get(), 0, content, Waiting::allowed)) {
    throw std::system_error(std::make_error_code(std::errc::io_error), "asset '" + name + "'");
  }
  return content;
}

}  // namespace

AssetFolder::AssetFolder(std::string prefix, const std::string& directory, AssetOptions options)
    : prefix_(std::move(prefix)),
      directory_path_(directory),
      options_(std::move(options)),
      directory_(opened_for_assets(directory, options_)),
      lasting_(directory, mount_options(options_, true)),
      revalidated_(directory, mount_options(options_, false)) {
  add_all(directory);
}

void AssetFolder::add_all(const std::string& directory) {
  namespace fs = std::filesystem;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = fs::relative(entry.path(), directory).generic_string();
    if (assets_.size() == kAssetsMax) {
      throw std::length_error("directory '" + directory + "' has more than " + std::to_string(kAssetsMax) + " files");
    }
    if (auto asset = hashed(name)) assets_.emplace(name, *std::move(asset));
  }
}

// Returns nullopt for a file that is not served.
std::optional<AssetFolder::Asset> AssetFolder::hashed(const std::string& name) const {
  constexpr std::array<std::string_view, 3> codings = {"br", "zstd", "gzip"};
  const std::string escaped = escaped_path(name);
  const auto file = directory_.open_file(escaped);
  if (!file && file.error() == FileError::not_found) return std::nullopt;
  if (!file) {
    const bool forbidden = file.error() == FileError::forbidden;
    const std::errc error = forbidden ? std::errc::permission_denied : std::errc::io_error;
    throw std::system_error(std::make_error_code(error), "asset '" + name + "'");
  }
  Asset asset{.hash = files::content_hash(content_of(*file, name, options_.bytes_max)), .etags = {file->metadata.etag}};
  for (const std::string_view coding : codings) {
    const auto variant = directory_.open_file(escaped, {&coding, 1});
    if (variant && variant->metadata.coding == coding) asset.etags.push_back(variant->metadata.etag);
  }
  return asset;
}

std::string AssetFolder::url(std::string_view name) {
  const std::scoped_lock lock(mutex_);
  auto found = assets_.find(name);
  if (options_.development) {
    const auto file = directory_.open_file(escaped_path(name));
    const bool same = file && found != assets_.end() && found->second.etags.front() == file->metadata.etag;
    if (file && !same) {
      if (auto asset = hashed(std::string(name))) found = assets_.insert_or_assign(std::string(name), *asset).first;
    }
  }
  if (found == assets_.end()) {
    throw std::invalid_argument("directory '" + directory_path_ + "' has no asset '" + std::string(name) + "'");
  }
  return prefix_ + "/" + escaped_path(files::with_hash(name, found->second.hash));
}

bool AssetFolder::is_known(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  return assets_.contains(name);
}

// Whether the file is the one of this hash. A file that was changed since may not be kept for a year under its name.
bool AssetFolder::is_current(const files::HashedName& hashed, const Mount::Found& found) {
  const std::scoped_lock lock(mutex_);
  const auto asset = assets_.find(hashed.name);
  return found && asset != assets_.end() && asset->second.hash == hashed.hash &&
         std::ranges::find(asset->second.etags, (*found)->metadata.etag) != asset->second.etags.end();
}

Task<Response> AssetFolder::serve(Request& request) {
  const std::string_view requested = request.params().raw(request.param_count() - 1);
  const auto path = files::parse_file_path(requested, files::Hidden::refused);
  const auto hashed = path ? files::without_hash(path->relative) : std::nullopt;
  if (!hashed || !is_known(hashed->name)) co_return co_await revalidated_.serve(request);
  const std::string escaped = escaped_path(hashed->name);
  const Mount::Found lasting = co_await lasting_.find(request, escaped);
  if (is_current(*hashed, lasting)) co_return lasting_.respond(request, lasting);
  const Mount::Found found = co_await revalidated_.find(request, escaped);
  co_return revalidated_.respond(request, found);
}

}  // namespace web

Assets::Assets(std::string prefix, const std::string& directory, AssetOptions options)
    : folder_(std::make_shared<web::AssetFolder>(std::move(prefix), directory, std::move(options))) {}

TrustedUrl Assets::url(std::string_view name) const { return TrustedUrl(folder_->url(name)); }

Task<Response> Assets::operator()(Request& request) const { return folder_->serve(request); }

}  // namespace volt::http
