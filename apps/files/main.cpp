// SPDX-License-Identifier: MIT

// files: serves the folder FILES_FOLDER, and stores uploads in the folder FILES_UPLOADS.
#include <config/program.h>

#include "apps/files/files.h"

int main(int argc, char** argv) {
  volt::Program program({.name = "files", .description = "Serves a folder, and stores uploads in another."});
  const auto folders = program.settings<files::Folders>("files");
  return program.run([&] { return files::make_app(*folders); }, argc, argv);
}
