// SPDX-License-Identifier: MIT

// FileCache: keeps recently requested files, so that most requests for them need no file system access. After a while
// an entry expires: one request loads the file again, while concurrent requests still receive the old one.
//
// A change of a file is noticed only when its entry expires. Rejected: notifications of the kernel (inotify(7)). No
// such interface reports every change reliably, on every file system and through every link, and loading a file is
// cheap.
//
// Threads: any. Each shard of the cache has its own lock, which is never held across a system call.
// Errors: none; a file that does not fit is not stored.
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
  // Maximum size in bytes of all contents and their metadata; 0: no cache.
  std::size_t bytes_max = 16 * 1024 * 1024;
  // Maximum number of descriptors that entries keep open, for files that are not in memory. The default is small
  // compared with the 1024 descriptors that a process can usually open.
  std::size_t descriptors_max = 128;
  // Age of an entry after which the next request loads the file again; 0: no cache.
  std::chrono::nanoseconds reload_after = std::chrono::seconds(1);
  // Time without requests after which an entry is dropped. Dropping closes the descriptor, so that the disk space of a
  // deleted file is released.
  std::chrono::nanoseconds forget_after = std::chrono::seconds(60);
};

class FileCache {
 public:
  explicit FileCache(const CacheBounds& bounds) noexcept : bounds_(bounds) {}
  FileCache(const FileCache&) = delete;
  FileCache& operator=(const FileCache&) = delete;

  // Returns the cached file. If the result is null, the caller must load the file and call put() or remove(). `now` is
  // a monotonic time.
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

  // The hash is keyed with a random key. A client can spell one path in many ways; without the key, the client could
  // choose spellings whose hashes collide.
  struct KeyHash {
    crypto::HashKey key;
    KeyHash() : key(crypto::random_hash_key()) {}
    std::size_t operator()(std::string_view text) const noexcept { return crypto::keyed_hash(key, text); }
  };

  // A part of the cache with a lock of its own, so that requests for different files rarely wait for each other. A path
  // always belongs to the same shard.
  struct Shard {
    std::mutex mutex;
    Entries entries;  // most recently used first
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
