// SPDX-License-Identifier: MIT

// AssetFolder: the files of Assets with their hashes, and the two mounts that send them.
//
// Threads: any. The table is guarded by a mutex, because url() may change it in development.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/files/directory.h"
#include "http/files/hashed_name.h"
#include "http/web/assets.h"
#include "http/web/internal/mount.h"

namespace volt::http::web {

inline constexpr std::size_t kAssetsMax = 65'536;

class AssetFolder {
 public:
  AssetFolder(std::string prefix, const std::string& directory, AssetOptions options);

  [[nodiscard]] std::string url(std::string_view name);
  [[nodiscard]] Task<Response> serve(Request& request);

 private:
  struct Asset {
    std::string hash;
    std::vector<std::string> etags;  // of the file that was hashed, and of its precompressed variants
  };

  void add_all(const std::string& directory);
  [[nodiscard]] std::optional<Asset> hashed(const std::string& name) const;
  [[nodiscard]] bool is_known(const std::string& name);
  [[nodiscard]] bool is_current(const files::HashedName& hashed, const Mount::Found& found);

  const std::string prefix_;
  const std::string directory_path_;
  const AssetOptions options_;
  const files::Directory directory_;
  Mount lasting_;
  Mount revalidated_;
  std::mutex mutex_;
  std::map<std::string, Asset, std::less<>> assets_;
};

}  // namespace volt::http::web
