// SPDX-License-Identifier: MIT

#include "apps/links/files.h"

#include <crypto/base64.h>
#include <crypto/random.h>
#include <runtime/blocking.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "apps/links/users.h"

namespace links {
namespace {

namespace http = volt::http;
namespace sqlite = volt::sqlite;
using namespace std::chrono_literals;
using http::From;
using http::Path;
using http::State;

constexpr auto kUploadTimeMax = 24h;  // a file without a row that is younger may still be on its way

std::string new_id() {
  std::array<std::byte, 16> bytes;
  volt::crypto::fill_random(bytes);
  return volt::crypto::base64url_encode(bytes);
}

void remove_strays(const std::string& folder, const std::set<std::string>& known) {
  const auto oldest = std::filesystem::file_time_type::clock::now() - kUploadTimeMax;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (known.contains(entry.path().filename()) || entry.last_write_time() > oldest) continue;
    std::filesystem::remove(entry.path());
  }
}

Task<std::vector<StoredFile>> post_files(http::Multipart form, From<User> user, State<Files> files) {
  co_return co_await files->add(user->id, std::move(form));
}

Task<std::vector<StoredFile>> list_files(From<User> user, State<Files> files) {
  co_return co_await files->of(user->id);
}

Task<> delete_file(Path<std::string> id, From<User> user, State<Files> files) {
  const bool removed = co_await files->remove(user->id, *id);
  if (!removed) throw http::not_found("you have no such file");
}

Task<http::File> download(Path<std::string> id, State<Files> files) {
  const std::optional<StoredFile> file = co_await files->find(*id);
  if (!file) throw http::not_found("There is no such file.");
  std::string path = files->path_of(file->id);
  http::File content = co_await http::File::open(std::move(path));
  co_return std::move(content).download_as(file->name);  // an attachment: no page of this service runs its scripts
}

}  // namespace

Files::Files(sqlite::Pool db, std::string folder, std::uint64_t bytes_max)
    : db_(std::move(db)), folder_(std::move(folder)), bytes_max_(bytes_max) {
  std::filesystem::create_directories(folder_);
}

Task<std::vector<StoredFile>> Files::add(std::int64_t owner, http::Multipart form) const {
  form.limits({.body_bytes_max = bytes_max_});
  std::vector<StoredFile> added;
  while (auto part = co_await form.next()) {
    if (part->file_name().value_or("").empty()) continue;  // a text, or a field without a file
    StoredFile file{.id = new_id(), .name = part->safe_file_name(), .bytes = 0};
    std::string path = path_of(file.id);
    const std::uint64_t bytes = co_await part->save_to(std::move(path), bytes_max_);
    file.bytes = static_cast<std::int64_t>(bytes);
    constexpr auto kInsert = "insert into file (id, name, bytes, owner) values ($1, $2, $3, $4)";
    co_await db_.execute(kInsert, file.id, file.name, file.bytes, owner);
    added.push_back(std::move(file));
  }
  co_return added;
}

Task<std::vector<StoredFile>> Files::of(std::int64_t owner) const {
  constexpr auto kOf = "select id, name, bytes from file where owner = $1 order by added desc, name";
  co_return co_await db_.query<StoredFile>(kOf, owner);
}

Task<std::optional<StoredFile>> Files::find(std::string id) const {
  co_return co_await db_.find<StoredFile>("select id, name, bytes from file where id = $1", id);
}

Task<bool> Files::remove(std::int64_t owner, std::string id) const {
  const auto removed = co_await db_.execute("delete from file where id = $1 and owner = $2", id, owner);
  if (removed == 0) co_return false;
  std::vector<std::string> ids{std::move(id)};
  co_await erase(std::move(ids));
  co_return true;
}

Task<std::size_t> Files::remove_old(std::chrono::hours keep) const {
  const std::int64_t seconds = std::chrono::seconds(keep).count();
  auto ids = co_await db_.query<std::string>("delete from file where added < unixepoch() - $1 returning id", seconds);
  const std::size_t count = ids.size();
  co_await erase(std::move(ids));
  co_await erase_strays();
  co_return count;
}

Task<> Files::erase(std::vector<std::string> ids) const {
  const auto remove_all = [&] {
    for (const std::string& id : ids) std::filesystem::remove(path_of(id));
  };
  co_await volt::blocking(remove_all);
}

Task<> Files::erase_strays() const {
  const auto ids = co_await db_.query<std::string>("select id from file");
  const std::set<std::string> known(ids.begin(), ids.end());
  const auto remove_unknown = [&] { remove_strays(folder_, known); };
  co_await volt::blocking(remove_unknown);
}

void add_file_routes(http::Group& open, http::Group& api, http::Group& uploads) {
  open.get("/f/{id}", download).summary("Sends a file").tag("files");
  uploads.post("/files", post_files).summary("Stores files").tag("files");
  api.get("/files", list_files).summary("Lists the user's files").tag("files");
  api.del("/files/{id}", delete_file).summary("Removes a file").tag("files");
}

}  // namespace links
