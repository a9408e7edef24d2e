// SPDX-License-Identifier: MIT

// Forms that are shown again with what was entered and what is wrong with it.
//
//   struct Entry { volt::Length<std::string, 1, 40> name; Color color = Color::black; bool agreed = false; };
//
//   struct EntryPage {
//     http::CsrfField csrf;
//     http::FormFields<Entry> form;
//     static constexpr http::Template html = R"(
//   <form method="post">{{csrf}}
//   <input name="name" value="{{form.name.value}}">{{form.name.error}}
//   <option value="blue"{{if form.color.value == 'blue'}} selected{{end}}>blue</option>
//   <input type="checkbox" name="agreed"{{if form.agreed.checked}} checked{{end}}>
//   <button>Sign</button></form>
//   )";
//   };
//
//   app.get("/sign", [](http::CsrfField csrf) { return EntryPage{csrf, {}}; });
//   app.post("/sign", [](http::FormInput<Entry> in, http::CsrfField csrf, State<Guests> guests) -> Response {
//     if (in && guests->contains(in->name)) in.refuse(&Entry::name, "is taken");
//     if (!in) return http::page(EntryPage{csrf, in.fields()}, Status::unprocessable_content);
//     guests->add(in->name);
//     return http::redirect("/");
//   });
//
// FormInput<T> takes the bodies that Form<T> takes, reads them by the same rules (http/validation/checked.h, check()),
// and finds the same errors. Where Form<T> answers 422, FormInput<T> lets the handler answer. Both refuse other bodies:
// 415 for another type, 400 for malformed escapes, NUL, text that is not UTF-8, or more than 256 fields. A form with
// files is a Multipart (http/multipart/multipart.h).
//
// Threads: values. Errors: if the form is invalid, operator* and operator-> throw std::logic_error, which becomes a
// 500.
#pragma once

#include <array>
#include <cstddef>
#include <expected>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/html/internal/path.h"
#include "http/html/internal/value.h"
#include "http/html/template.h"
#include "http/middleware/session.h"
#include "http/web/extract.h"
#include "reflect/aggregate.h"
#include "reflect/member_default.h"

namespace volt::http {

// A field as the page shows it.
struct FormField {
  std::string value = {};                // the text that was entered; the last one if there are several
  std::vector<std::string> values = {};  // all of them, for a member that is a std::vector
  std::string error = {};                // without its subject: "must be from 1 to 10"; empty: none
  bool checked = false;                  // for a checkbox: the value is "on", "true" or "1"
};

namespace html {

inline void add_value(FormField& field, std::string_view text) {
  field.value = text;
  field.values.emplace_back(text);
  field.checked = text == "on" || text == "true" || text == "1";
}

// Adds the texts of a member, as an input field has them.
template <class Member>
void add_values(FormField& field, const Member& member) {
  unwrapped(member, [&field]<class Value>(const Value& value) {
    if constexpr (HasText<Value>) {
      with_text(value, [&field](std::string_view text) { add_value(field, text); });
    } else if constexpr (reflect::Range<const Value>) {
      for (const auto& one : value) add_values(field, one);
    } else {
      static_assert(HasText<Value>,
                    "this member of the form has no text form: write std::string to_text(const T&) in its namespace");
    }
  });
}

}  // namespace html

// A FormField for each member of T, with its name: {{form.name.value}}.
template <class T>
class FormFields {
 public:
  static_assert(web::kAreFields<T>, "a form is a struct whose members are read from text");

  // The empty form: only members with a default have a value.
  FormFields() {
    const T defaults{};
    reflect::for_each_member(defaults, [this](auto index, const auto& member) {
      if (reflect::member_has_default<T, index>()) html::add_values(fields_[index], member);
    });
  }
  // The form with the values of `shown`, to be changed.
  explicit FormFields(const T& shown) {
    reflect::for_each_member(shown,
                             [this](auto index, const auto& member) { html::add_values(fields_[index], member); });
  }
  // The form as it was sent.
  explicit FormFields(const std::vector<web::QueryField>& sent) {
    const auto names = reflect::member_names<T>();
    for (const web::QueryField& field : sent) {
      for (std::size_t i = 0; i != names.size(); ++i) {
        if (names[i] == field.name) html::add_value(fields_[i], field.value);
      }
    }
  }

  // The field of a member: fields.of(&Entry::name).
  template <class Member>
  [[nodiscard]] const FormField& of(Member T::* member) const {
    return fields_[index_of(member)];
  }
  template <class Member>
  [[nodiscard]] FormField& of(Member T::* member) {
    return fields_[index_of(member)];
  }

 private:
  template <class>
  friend struct html::MembersOf;
  template <class>
  friend class FormInput;

  template <class Member>
  static std::size_t index_of(Member T::* member) {
    const T object{};
    std::size_t found = 0;
    reflect::for_each_member(object, [&](auto index, const auto& one) {
      if (static_cast<const void*>(&one) == static_cast<const void*>(&(object.*member))) found = index;
    });
    return found;
  }

  std::array<FormField, reflect::member_count<T>> fields_;
};

template <class T>
struct html::MembersOf<FormFields<T>> {
  static constexpr std::size_t size = reflect::member_count<T>;
  static consteval std::size_t find(std::string_view name) noexcept { return MembersOf<T>::find(name); }
  template <std::size_t I>
  static const FormField& get(const FormFields<T>& form) noexcept {
    return form.fields_[I];
  }
};

// A form that was sent, valid or not: a parameter of a handler.
template <class T>
class FormInput {
 public:
  explicit FormInput(const std::vector<web::QueryField>& sent) : fields_(sent) {
    auto value = web::fields_to_aggregate<T>(sent);
    if (value) {
      value_ = *std::move(value);
      return;
    }
    const auto names = reflect::member_names<T>();
    for (web::FieldError& error : value.error()) {
      std::size_t i = 0;
      while (i != names.size() && names[i] != error.field) ++i;
      valid_ = false;
      add_error(i == names.size() ? error_ : fields_.fields_[i].error, std::move(error.sentence));
    }
  }

  // Whether the form is valid.
  [[nodiscard]] explicit operator bool() const noexcept { return valid_; }

  [[nodiscard]] T& operator*() & { return require_valid(), value_; }
  [[nodiscard]] const T& operator*() const& { return require_valid(), value_; }
  [[nodiscard]] T&& operator*() && { return require_valid(), std::move(value_); }
  [[nodiscard]] T* operator->() { return require_valid(), &value_; }
  [[nodiscard]] const T* operator->() const { return require_valid(), &value_; }

  // Refuses a member for a reason that the type does not know: in.refuse(&Entry::name, "is taken").
  template <class Member>
  void refuse(Member T::* member, std::string sentence) {
    valid_ = false;
    add_error(fields_.of(member).error, std::move(sentence));
  }
  // Refuses the form as a whole: in.refuse("Name or password is wrong.").
  void refuse(std::string sentence) {
    valid_ = false;
    add_error(error_, std::move(sentence));
  }

  // The fields for the page.
  [[nodiscard]] const FormFields<T>& fields() const noexcept { return fields_; }
  // The errors of the form as a whole; empty: none.
  [[nodiscard]] const std::string& error() const noexcept { return error_; }

 private:
  static void add_error(std::string& all, std::string sentence) {
    all.append(all.empty() ? "" : ", ").append(sentence);
  }
  void require_valid() const {
    if (!valid_) throw std::logic_error("the form is invalid: test a FormInput before its value is used");
  }

  FormFields<T> fields_;
  T value_{};
  std::string error_;
  bool valid_ = true;
};

template <class T>
struct Extract<FormInput<T>> : Extract<Form<T>> {
  static FormInput<T> from(const Request& request) {
    web::require_content_type(request, "application/x-www-form-urlencoded");
    web::require_form_text(request.body());
    return FormInput<T>(web::fields_of("form", request.body()));
  }
  static void describe(openapi::Operation& operation) {
    operation.body("application/x-www-form-urlencoded", openapi::form_schema_of<T>(operation.schemas));
    operation.refusals({Status::bad_request, Status::unsupported_media_type});
  }
};

// The hidden field with the session's token, without which csrf() may refuse the form (http/middleware/session.h): a
// parameter of a handler, and a member of a page. Needs the middleware sessions().
struct CsrfField {
  std::string token;
  std::string name = "csrf_token";  // CsrfOptions::field
  static constexpr Template html = "<input type=\"hidden\" name=\"{{name}}\" value=\"{{token}}\">";
};

template <>
struct Extract<CsrfField> {
  static constexpr Requirement kRequirement = Extract<From<Session>>::kRequirement;
  static CsrfField from(const Request& request) { return {.token = request.get<Session>().csrf_token()}; }
};

}  // namespace volt::http
