// SPDX-License-Identifier: MIT

#include "migrations/migrations.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "crypto/digest.h"

namespace volt::migrations {
namespace {

constexpr std::size_t kDigitsMin = 4;
constexpr std::size_t kDigitsMax = 18;  // fit in 64 bits; 14 are a date with its time
constexpr std::string_view kSuffix = ".sql";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_of_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.';
}

// Returns the number of a file "0001_name.sql"; nothing if the name is of another form.
std::optional<std::int64_t> number_of(std::string_view name) {
  const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(name, is_digit) - name.begin());
  if (digits < kDigitsMin || digits > kDigitsMax || !name.ends_with(kSuffix)) return std::nullopt;
  const std::string_view rest = name.substr(digits, name.size() - digits - kSuffix.size());
  if (rest.size() < 2 || rest.front() != '_' || !std::ranges::all_of(rest, is_of_name)) return std::nullopt;
  std::int64_t number = 0;
  std::from_chars(name.data(), name.data() + digits, number);
  return number;
}

std::string checksum_of(std::string_view sql) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : crypto::sha256(sql)) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

std::string text_of(const std::filesystem::path& path) {
  const Error unreadable("the migration " + path.string() + " cannot be read");
  try {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file.is_open() || file.bad()) throw unreadable;
    return text;
  } catch (const std::ios_base::failure&) {  // of the buffer, for example if it is a folder
    throw unreadable;
  }
}

const Migration* find(std::span<const Migration> migrations, std::int64_t number) {
  const auto found = std::ranges::lower_bound(migrations, number, {}, &Migration::number);
  return found != migrations.end() && found->number == number ? &*found : nullptr;
}

void check_applied(std::span<const Migration> migrations, const Applied& applied, const Options& options) {
  const Migration* file = find(migrations, applied.number);
  if (file == nullptr) {
    const bool newer = migrations.empty() || applied.number > migrations.back().number;
    if (newer && options.allow_newer) return;
    throw Error("the database has the migration " + applied.name +
                (newer ? ", which is newer than all files: start the version of the program that has it, or set "
                         "allow_newer"
                       : ", whose file is missing: restore it"));
  }
  if (file->name != applied.name) {
    throw Error("the migration " + applied.name + " was renamed to " + file->name +
                " after it was executed: give it its name back");
  }
  if (file->checksum != applied.checksum) {
    throw Error("the migration " + applied.name +
                " was changed after it was executed: restore it, and put the change into a new file");
  }
}

}  // namespace

std::vector<Migration> from_files(std::vector<File> files) {
  std::vector<Migration> migrations;
  for (File& file : files) {
    const auto number = number_of(file.name);
    if (!number) {
      throw Error("the name of the migration " + file.name +
                  " must be four digits or more, '_' and a name, such as 0001_create_items.sql");
    }
    std::string checksum = checksum_of(file.sql);
    migrations.push_back({*number, std::move(file.name), std::move(file.sql), std::move(checksum)});
  }
  std::ranges::sort(migrations, {}, &Migration::number);
  const auto equal = std::ranges::adjacent_find(migrations, {}, &Migration::number);
  if (equal != migrations.end()) {
    throw Error("the migrations " + equal->name + " and " + std::next(equal)->name +
                " have the same number: give the one that was not executed yet another one");
  }
  return migrations;
}

std::vector<Migration> read_folder(const std::filesystem::path& folder) {
  std::vector<File> files;
  try {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::string name = entry.path().filename().string();
      if (name.starts_with('.') || !name.ends_with(kSuffix)) continue;
      files.push_back({std::move(name), text_of(entry.path())});
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error("the folder of migrations " + folder.string() + " cannot be read: " + error.code().message());
  }
  return from_files(std::move(files));
}

const Migration* next_of(std::span<const Migration> migrations, std::span<const Applied> applied,
                         const Options& options) {
  std::int64_t last = 0;
  for (const Applied& row : applied) {
    check_applied(migrations, row, options);
    last = std::max(last, row.number);
  }
  const auto is_new = [&](const Migration& it) {
    return std::ranges::find(applied, it.number, &Applied::number) == applied.end();
  };
  const auto next = std::ranges::find_if(migrations, is_new);
  if (next == migrations.end()) return nullptr;
  if (next->number < last) {
    throw Error("the migration " + next->name + " was added below number " + std::to_string(last) +
                ", which was executed already: give it a higher number");
  }
  if (!options.apply) {
    throw Error("the migration " + next->name +
                " has not been executed: migrate the database before this program starts");
  }
  return &*next;
}

}  // namespace volt::migrations
