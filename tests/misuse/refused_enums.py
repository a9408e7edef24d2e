# SPDX-License-Identifier: MIT
"""Wrong enums in databases that the compiler refuses; beside each is a similar program that compiles."""

from refused_programs import Wrong

NO_UNDERLYING = "an enum in a row or a parameter must have a fixed underlying type: write `enum class`"
NO_ENUMERATOR = (
    "no enumerator of this enum has a value from -64 to 191, so none has a name: convert it to a number or text"
)
ENUMS = """
enum Plain { plain_one }; struct PlainRow { Plain plain; };
enum class Fixed { one }; struct FixedRow { Fixed fixed; };
enum class Far { one = 1000 };
inline const sqlite::Pool db({});
"""
ENUMS_OF_DATABASES = [
    Wrong("an enum without an underlying type in a row", 'co_await db.find<Plain>("select 1");',
          'co_await db.find<Fixed>("select 1");', NO_UNDERLYING, ENUMS, "coroutine"),
    Wrong("an enum without an underlying type in a struct", 'co_await db.query<PlainRow>("select 1");',
          'co_await db.query<FixedRow>("select 1");', NO_UNDERLYING, ENUMS, "coroutine"),
    Wrong("an enum without an underlying type as a parameter", 'co_await db.execute("select $1", plain_one);',
          'co_await db.execute("select $1", Fixed::one);', NO_UNDERLYING, ENUMS, "coroutine"),
    Wrong("an enum whose enumerators have no names", 'co_await db.find<Far>("select 1");',
          'co_await db.find<Fixed>("select 1");', NO_ENUMERATOR, ENUMS, "coroutine"),
]
