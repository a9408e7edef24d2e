// SPDX-License-Identifier: MIT

// files: serves the folder FILES_FOLDER, and stores uploads in the folder FILES_UPLOADS.
#include <config/run.h>

#include <cstdlib>

#include "apps/files/files.h"

int main(int argc, char** argv) {
  files::Folders folders;
  if (const char* shown = std::getenv("FILES_FOLDER")) folders.shown = shown;
  if (const char* uploads = std::getenv("FILES_UPLOADS")) folders.uploads = uploads;
  volt::http::App app = files::make_app(folders);
  return volt::run(app, argc, argv);
}
