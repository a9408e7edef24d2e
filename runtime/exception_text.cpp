// SPDX-License-Identifier: MIT

#include "runtime/exception_text.h"

#include <cxxabi.h>

#include <string>
#include <typeinfo>
#include <utility>

namespace volt {

ExceptionText::ExceptionText(std::exception_ptr error) noexcept : error_(std::move(error)) {
  const std::type_info* type = nullptr;
  try {
    std::rethrow_exception(error_);
  } catch (const std::exception& failure) {
    type = &typeid(failure);
    message_ = failure.what();
  } catch (const std::string& text) {
    type = &typeid(std::string);
    message_ = text;
  } catch (const char* text) {
    type = &typeid(const char*);
    if (text != nullptr) message_ = text;
  } catch (...) {  // decided: only its type is known
    type = abi::__cxa_current_exception_type();
  }
  if (type == nullptr) return;
  int status = 0;
  demangled_.reset(abi::__cxa_demangle(type->name(), nullptr, nullptr, &status));
  type_ = demangled_ != nullptr ? demangled_.get() : type->name();
}

}  // namespace volt
