// SPDX-License-Identifier: MIT

// The service: serves the files of one folder, and stores uploads of any client in another.
#pragma once

#include <http/server/app.h>

#include <cstdint>
#include <string>

namespace files {

struct Folders {
  std::string shown = "apps/files/public";
  std::string uploads = "build/uploads";
  std::uint64_t upload_bytes_max = 64 * 1024 * 1024;  // per request
};

// Creates the folder for uploads if it does not exist. Throws std::system_error if a folder cannot be opened.
volt::http::App make_app(Folders folders = {});

}  // namespace files
