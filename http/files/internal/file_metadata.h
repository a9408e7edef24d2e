// SPDX-License-Identifier: MIT

// The metadata of a file for its responses, collected once when the file is opened.
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
  std::string etag = {};             // the text between the quotes of a strong tag; empty: none
  std::string_view media_type = {};  // type of the content; static text
  std::string_view coding = {};      // value of Content-Encoding; static text; empty: not encoded
};

// Returns the text of a strong tag. Two tags differ if size, time, inode or coding differ. The inode distinguishes two
// files that have one name at different times and are equal in size and time. The tag is a hash, so that it does not
// disclose the inode number. A file that is written twice within one tick of the file system's clock keeps its tag, so
// files should be replaced by rename.
std::string make_etag(std::uint64_t size_bytes, FileTime modified, std::uint64_t inode, std::string_view coding);

// Returns the validators; the tag is a view into `metadata`. The fraction of a second is cut off from the time, because
// a client's date has whole seconds and must compare equal.
Validators validators(const FileMetadata& metadata) noexcept;

}  // namespace volt::http::files
