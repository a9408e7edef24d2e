// SPDX-License-Identifier: MIT

#include "runtime/base/function_name.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <unordered_map>

namespace volt::base {
namespace {

// The program or shared library that contains an address.
struct Module {
  std::uintptr_t address;
  std::uintptr_t base = 0;
  std::string path = {};  // empty if no module contains the address
};

int find_module(dl_phdr_info* info, std::size_t, void* wanted) {
  auto& module = *static_cast<Module*>(wanted);
  for (const ElfW(Phdr) & segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (module.address < begin || module.address >= begin + segment.p_memsz) continue;
    module.base = info->dlpi_addr;
    module.path = info->dlpi_name == nullptr || *info->dlpi_name == '\0' ? "/proc/self/exe" : info->dlpi_name;
    return 1;
  }
  return 0;
}

// The content of a file, mapped while the object exists; empty if the file cannot be read.
class MappedFile {
 public:
  explicit MappedFile(const char* path) noexcept {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status{};
    if (::fstat(file, &status) == 0 && status.st_size > 0) {
      void* memory = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
      if (memory != MAP_FAILED) {
        content_ = {static_cast<const std::byte*>(memory), static_cast<std::size_t>(status.st_size)};
      }
    }
    ::close(file);
  }
  ~MappedFile() {
    if (!content_.empty()) ::munmap(const_cast<std::byte*>(content_.data()), content_.size());
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Returns `count` objects at `offset`; none if the file ends before.
  template <class T>
  [[nodiscard]] std::span<const T> at(std::size_t offset, std::size_t count) const noexcept {
    if (offset > content_.size() || count > (content_.size() - offset) / sizeof(T)) return {};
    if (reinterpret_cast<std::uintptr_t>(content_.data() + offset) % alignof(T) != 0) return {};
    return {reinterpret_cast<const T*>(content_.data() + offset), count};
  }

 private:
  std::span<const std::byte> content_;
};

// Returns the mangled name of the function at `address`, which counts from the base of the module.
std::string symbol_at(const MappedFile& file, std::uintptr_t address) {
  const auto header = file.at<ElfW(Ehdr)>(0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return {};
  const auto sections = file.at<ElfW(Shdr)>(header[0].e_shoff, header[0].e_shnum);
  for (const std::uint32_t kind : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (const ElfW(Shdr) & section : sections) {
      if (section.sh_type != kind || section.sh_link >= sections.size()) continue;
      const ElfW(Shdr)& names = sections[section.sh_link];
      const auto text = file.at<char>(names.sh_offset, names.sh_size);
      for (const ElfW(Sym) & symbol : file.at<ElfW(Sym)>(section.sh_offset, section.sh_size / sizeof(ElfW(Sym)))) {
        if ((symbol.st_info & 0xf) != STT_FUNC || symbol.st_name >= text.size()) continue;
        if (address < symbol.st_value || address - symbol.st_value >= symbol.st_size) continue;
        return std::string(text.data() + symbol.st_name,
                           ::strnlen(&text[symbol.st_name], text.size() - symbol.st_name));
      }
    }
  }
  return {};
}

// Returns the function of a coroutine from the name that g++ gives to a part of it: "f(f(int)::_Z1fi.Frame*)" is a part
// of "f(int)". Returns other names unchanged.
std::string_view without_frame(std::string_view name) noexcept {
  const std::size_t frame = name.find("::_Z");
  if (frame == std::string_view::npos || !name.ends_with("Frame*)")) return name;
  for (std::size_t i = name.find('('); i < frame / 2; i = name.find('(', i + 1)) {
    if (name.substr(i + 1, i) == name.substr(0, i)) return name.substr(i + 1, frame - i - 1);
  }
  return name;
}

// The compilers name the parts of a coroutine after its function, with a suffix: " (.resume)", " [clone .actor]".
std::string demangled(std::string symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  if (name == nullptr) return symbol;
  std::string_view text = name.get();
  for (const std::string_view suffix : {" (.", " [clone ."}) text = text.substr(0, text.find(suffix));
  return std::string(without_frame(text));
}

std::string look_up(const void* code) {
  Module module{.address = reinterpret_cast<std::uintptr_t>(code)};
  ::dl_iterate_phdr(find_module, &module);
  if (module.path.empty()) return {};
  std::string symbol = symbol_at(MappedFile(module.path.c_str()), module.address - module.base);
  return symbol.empty() ? symbol : demangled(std::move(symbol));
}

}  // namespace

std::string function_name(const void* code) {
  // One entry for each address that was asked for, that is, at most one for each coroutine function of the program.
  // Never destroyed, because a program may need a name while it ends.
  struct Names {
    std::mutex mutex;
    std::unordered_map<const void*, std::string> names;
  };
  static Names& known = *new Names;
  const std::scoped_lock lock(known.mutex);
  const auto [entry, is_new] = known.names.try_emplace(code);
  if (is_new) entry->second = look_up(code);
  return entry->second;
}

}  // namespace volt::base
