// SPDX-License-Identifier: MIT

// Files: what users have uploaded, for all who know the address, until its time is over.
//
// A file lies in a folder under its id, which cannot be guessed. The row of the database is added once the file is
// whole. A file without a row, as after a crash, is removed by remove_old().
//
// Threads: a value, used by any task. Errors: those of sqlite/error.h and http/multipart/multipart.h.
#pragma once

#include <http/http.h>
#include <sqlite/sqlite.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace links {

using volt::Task;

struct StoredFile {
  std::string id;
  std::string name;  // as the user called it
  std::int64_t bytes;
};

class Files {
 public:
  // Creates the folder, if it does not exist.
  Files(volt::sqlite::Pool db, std::string folder, std::uint64_t bytes_max);

  // Stores the files of a form.
  [[nodiscard]] Task<std::vector<StoredFile>> add(std::int64_t owner, volt::http::Multipart form) const;
  [[nodiscard]] Task<std::vector<StoredFile>> of(std::int64_t owner) const;
  [[nodiscard]] Task<std::optional<StoredFile>> find(std::string id) const;
  // Returns false if the user has no such file.
  [[nodiscard]] Task<bool> remove(std::int64_t owner, std::string id) const;
  // Removes the files that are older than `keep`, and files without a row. Returns the number of the former.
  [[nodiscard]] Task<std::size_t> remove_old(std::chrono::hours keep) const;

  [[nodiscard]] std::string path_of(const std::string& id) const { return folder_ + "/" + id; }

 private:
  Task<> erase(std::vector<std::string> ids) const;
  Task<> erase_strays() const;

  volt::sqlite::Pool db_;
  std::string folder_;
  std::uint64_t bytes_max_;
};

// Adds to `open` the route of downloads, to `api` those of programs and scripts, and to `uploads` that of uploads. The
// latter two need a User.
void add_file_routes(volt::http::Group& open, volt::http::Group& api, volt::http::Group& uploads);

}  // namespace links
