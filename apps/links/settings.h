// SPDX-License-Identifier: MIT

// The settings: the table [links] of the file, LINKS_.. in the environment, --links... as flags.
#pragma once

#include <config/program.h>
#include <http/message/byte_size.h>

#include <chrono>
#include <string>

namespace links {

struct Settings {
  std::string folder = "build/links";
  std::string assets = "apps/links/public";
  volt::Pattern<"https?://[^/]+"> public_url = "http://localhost:8080";
  std::string checker;
  volt::ByteSize file_bytes_max = volt::operator""_MiB(64);
  std::chrono::hours keep = std::chrono::days(30);

  static constexpr volt::Described descriptions[] = {
      {"folder", "Folder of the database and of the uploaded files; it is created if it does not exist"},
      {"assets", "Folder of the scripts and styles of the pages"},
      {"public_url", "Address of the service as its users see it, without a slash at its end"},
      {"checker", "Address of the service that knows dangerous addresses; empty: all addresses are safe"},
      {"file_bytes_max", "Maximum size of an uploaded file"},
      {"keep", "How long an uploaded file is kept"},
  };
};

}  // namespace links
