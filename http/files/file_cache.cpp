// SPDX-License-Identifier: MIT

#include "http/files/file_cache.h"

#include <iterator>
#include <utility>

namespace volt::http::files {
namespace {

constexpr std::size_t kEntryBytes = 1024;  // size of an entry without key and content: nodes, metadata, fields

}  // namespace

std::size_t FileCache::Entry::bytes() const noexcept { return kEntryBytes + key.size() + file->content.size(); }

void FileCache::Shard::move_out(Entries::iterator entry, Entries& dropped) noexcept {
  bytes -= entry->bytes();
  if (!entry->file->in_memory()) --descriptors;
  by_key.erase(entry->key);
  dropped.splice(dropped.begin(), entries, entry);
}

FileCache::Shard& FileCache::shard_of(std::string_view key) noexcept { return shards_[shard_hash_(key) % kShards]; }

bool FileCache::fits(const Shard& shard) const noexcept {
  return shard.bytes <= bounds_.bytes_max / kShards && shard.descriptors <= bounds_.descriptors_max / kShards;
}

void FileCache::forget_unused(Shard& shard, std::chrono::nanoseconds now, Entries& dropped) noexcept {
  while (!shard.entries.empty() && now - shard.entries.back().used_at > bounds_.forget_after) {
    shard.move_out(std::prev(shard.entries.end()), dropped);
  }
}

SharedFile FileCache::find(std::string_view key, std::chrono::nanoseconds now) {
  Shard& shard = shard_of(key);
  Entries dropped;  // destroyed after the lock is released
  const std::scoped_lock lock(shard.mutex);
  forget_unused(shard, now, dropped);
  const auto found = shard.by_key.find(key);
  if (found == shard.by_key.end()) return nullptr;
  Entry& entry = *found->second;
  if (now >= entry.reload_at) {
    entry.reload_at = now + bounds_.reload_after;
    return nullptr;
  }
  entry.used_at = now;
  shard.entries.splice(shard.entries.begin(), shard.entries, found->second);
  return entry.file;
}

void FileCache::put(std::string_view key, SharedFile file, std::chrono::nanoseconds now) {
  // A reload_after of 0 means that there is no cache. Comparing times in find() does not ensure this, because each
  // caller passes the time of its worker's clock, and these clocks may differ.
  if (bounds_.reload_after == std::chrono::nanoseconds::zero()) return;
  Shard& shard = shard_of(key);
  Entries dropped;  // destroyed after the lock is released
  const std::scoped_lock lock(shard.mutex);
  if (const auto old = shard.by_key.find(key); old != shard.by_key.end()) shard.move_out(old->second, dropped);
  Entries made;  // joins the shard when nothing can fail any more
  made.push_front(
      {.key = std::string(key), .file = std::move(file), .reload_at = now + bounds_.reload_after, .used_at = now});
  const Entry& entry = made.front();
  shard.by_key.emplace(entry.key, made.begin());
  shard.entries.splice(shard.entries.begin(), made);
  shard.bytes += entry.bytes();
  if (!entry.file->in_memory()) ++shard.descriptors;
  while (!fits(shard)) shard.move_out(std::prev(shard.entries.end()), dropped);
}

void FileCache::remove(std::string_view key) {
  Shard& shard = shard_of(key);
  Entries dropped;  // destroyed after the lock is released
  const std::scoped_lock lock(shard.mutex);
  if (const auto old = shard.by_key.find(key); old != shard.by_key.end()) shard.move_out(old->second, dropped);
}

}  // namespace volt::http::files
