// SPDX-License-Identifier: MIT

// files: serves the folder FILES_FOLDER, and stores uploads in the folder FILES_UPLOADS.
#include <config/run.h>

#include <cstdlib>

#include "apps/files/files.h"

namespace {

files::Folders folders_from_environment() {
  files::Folders folders;
  if (const char* shown = std::getenv("FILES_FOLDER")) folders.shown = shown;
  if (const char* uploads = std::getenv("FILES_UPLOADS")) folders.uploads = uploads;
  return folders;
}

}  // namespace

int main(int argc, char** argv) {
  return volt::run([] { return files::make_app(folders_from_environment()); }, argc, argv);
}
