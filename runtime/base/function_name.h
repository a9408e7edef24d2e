// SPDX-License-Identifier: MIT

// function_name: the name of the function that contains a code address, for messages. It is read from the symbol table
// of the program or library that contains the address.
//
// Threads: any. The first call for an address reads a file, which takes milliseconds; later calls look the name up.
#pragma once

#include <string>

namespace volt::base {

// Returns the demangled name, for example "shop::send_mails(volt::Receiver<shop::Mail>)"; empty if the program has no
// symbol for the address, because it was stripped. The name of a coroutine is that of its function. Throws
// std::bad_alloc.
[[nodiscard]] std::string function_name(const void* code);

}  // namespace volt::base
