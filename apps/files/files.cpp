// SPDX-License-Identifier: MIT

#include "apps/files/files.h"

#include <http/http.h>

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace files {
namespace {

namespace http = volt::http;
using namespace std::chrono_literals;
using http::Multipart;
using http::State;
using volt::Task;

struct Saved {
  std::string name;
  std::uint64_t bytes = 0;
};

Task<std::vector<Saved>> upload(Multipart form, State<Folders> folders) {
  form.limits({.body_bytes_max = folders->upload_bytes_max});
  std::vector<Saved> all;
  while (auto part = co_await form.next()) {
    if (!part->file_name()) continue;  // a text field of the form
    Saved saved{.name = part->safe_file_name()};
    saved.bytes = co_await part->save_to(folders->uploads + "/" + saved.name, folders->upload_bytes_max);
    all.push_back(std::move(saved));
  }
  co_return all;
}

http::Problem explain(const std::system_error& error) {
  if (error.code() == std::errc::file_exists) return http::conflict("a file of this name exists already");
  throw error;  // the server logs it and responds with 507 if the disk is full, otherwise with 500
}

}  // namespace

http::App make_app(Folders folders) {
  std::filesystem::create_directories(folders.uploads);
  http::App app;
  app.files("/", folders.folder, {.precompressed = true, .max_age = 1min});
  // Uploads are sent as attachments. Otherwise a browser would run the scripts of an uploaded page with this server's
  // origin.
  app.files("/uploads", folders.uploads,
            {.headers = {{"Content-Disposition", "attachment"}, {"X-Content-Type-Options", "nosniff"}}});
  app.post("/upload", upload);
  app.on_error(explain);
  app.state(std::move(folders));
  return app;
}

}  // namespace files
