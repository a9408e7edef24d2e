// SPDX-License-Identifier: MIT

// The service: serves the files of one folder, and stores uploads of any client in another.
#pragma once

#include <config/program.h>
#include <http/server/app.h>

#include <string>

namespace files {

// The table [files] of the configuration (config/program.h).
struct Folders {
  std::string folder = "apps/files/public";
  std::string uploads = "build/uploads";
  volt::ByteSize upload_bytes_max = 64 * 1024 * 1024;

  static constexpr volt::Described descriptions[] = {
      {"folder", "Folder that is served"},
      {"uploads", "Folder for uploads; it is created if it does not exist"},
      {"upload_bytes_max", "Maximum size of an upload"},
  };
};

// Creates the folder for uploads if it does not exist. Throws std::system_error if a folder cannot be opened.
volt::http::App make_app(Folders folders = {});

}  // namespace files
