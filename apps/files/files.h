// The service: a folder of files to be seen, and another into which anybody may put some.
#pragma once

#include <http/server/app.h>

#include <cstdint>
#include <string>

namespace files {

struct Folders {
  std::string shown = "apps/files/public";
  std::string uploads = "build/uploads";
  std::uint64_t upload_bytes_max = 64 * 1024 * 1024;  // of one request
};

// Makes the folder for uploads if it is not there yet. Throws std::system_error if a folder cannot be opened.
volt::http::App make_app(Folders folders = {});

}  // namespace files
