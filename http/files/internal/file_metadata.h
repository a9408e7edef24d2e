// What an answer says of a file: gathered once, when the file was opened.
//
// Threads: pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/files/preconditions.h"

namespace volt::http::files {

using FileTime = std::chrono::sys_time<std::chrono::nanoseconds>;

struct FileMetadata {
  std::uint64_t size_bytes = 0;
  FileTime modified{};
  std::string etag = {};             // what stands between the quotes of a strong tag; empty: none
  std::string_view media_type = {};  // of the content; static text
  std::string_view coding = {};      // Content-Encoding; static text; empty: as it is
};

// A strong tag's text: another one for another size, time, file (a name may come to mean one of the same size and time)
// or coding of it. A hash, since an inode number is nobody's business. A file that is written to twice within one tick
// of the file system's clock keeps its tag: replace files by rename.
std::string make_etag(std::uint64_t size_bytes, FileTime modified, std::uint64_t inode, std::string_view coding);

// Views of `metadata`. Last-Modified has whole seconds: the fraction is cut off, so that a client's date compares equal.
Validators validators(const FileMetadata& metadata) noexcept;

}  // namespace volt::http::files
