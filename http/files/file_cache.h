// FileCache: files that were asked for lately, so that most requests for them touch no file system. An entry counts for
// a while, then one request loads the file anew; those that come meanwhile still get the old one.
//
// Nothing tells what changed in a directory for certain, on every file system and through every link (inotify(7) does
// not), so entries are not compared but replaced: to load a file costs a few microseconds.
//
// Threads: any; a lock for each part of it, never held across a system call.
// Errors: none; what does not fit is not kept.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "crypto/keyed_hash.h"
#include "http/files/stored_file.h"

namespace volt::http::files {

struct CacheBounds {
  std::size_t bytes_max = 16 * 1024 * 1024;  // of contents and what is kept beside them; 0: no cache
  std::size_t descriptors_max = 128;         // of files that are not in memory; a process has 1024 or more
  std::chrono::nanoseconds reload_after = std::chrono::seconds(1);
  std::chrono::nanoseconds forget_after = std::chrono::seconds(60);  // unasked for: a deleted file gives up its disk
};

class FileCache {
 public:
  explicit FileCache(const CacheBounds& bounds) noexcept : bounds_(bounds) {}
  FileCache(const FileCache&) = delete;
  FileCache& operator=(const FileCache&) = delete;

  // Null: it is for the caller to load the file, and to put() or remove() it. `now` is monotonic.
  [[nodiscard]] SharedFile find(std::string_view key, std::chrono::nanoseconds now);
  void put(std::string_view key, SharedFile file, std::chrono::nanoseconds now);
  void remove(std::string_view key);

 private:
  struct Entry {
    std::string key;
    SharedFile file;
    std::chrono::nanoseconds reload_at;
    std::chrono::nanoseconds used_at;

    std::size_t bytes() const noexcept;
  };
  using Entries = std::list<Entry>;

  // Clients spell one path in many ways, and must not find those that fall together.
  struct KeyHash {
    crypto::HashKey key;
    KeyHash() : key(crypto::random_hash_key()) {}
    std::size_t operator()(std::string_view text) const noexcept { return crypto::keyed_hash(key, text); }
  };

  // Requests for one file are for one shard: there are more than enough for the files of a page.
  struct Shard {
    std::mutex mutex;
    Entries entries;  // last used first
    std::unordered_map<std::string_view, Entries::iterator, KeyHash> by_key;
    std::size_t bytes = 0;
    std::size_t descriptors = 0;

    void move_out(Entries::iterator entry, Entries& dropped) noexcept;
  };
  static constexpr std::size_t kShards = 8;

  Shard& shard_of(std::string_view key) noexcept;
  bool fits(const Shard& shard) const noexcept;
  void forget_unused(Shard& shard, std::chrono::nanoseconds now, Entries& dropped) noexcept;

  const CacheBounds bounds_;
  const KeyHash shard_hash_;
  std::array<Shard, kShards> shards_;
};

}  // namespace volt::http::files
