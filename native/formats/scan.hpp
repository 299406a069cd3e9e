// Reads single fields of text: integers, numbers, UTF-8. The bottom of the text parsers; never reads past `end`.
#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

namespace subiso::formats {

// What can be wrong with a line. The numbers are part of the binding: Python words the messages.
enum class Fault : int {
  none = 0,
  bad_integer = 1,    // "12x", "", "1.5"
  too_large = 2,      // outside the signed 64-bit range
  bad_number = 3,     // not a decimal number
  not_finite = 4,     // nan, inf, or outside the range of a double
  too_few = 5,        // fewer fields than the schema asks for
  too_many = 6,       // more fields than the schema knows
  unknown_tag = 7,    // t/v/e files: a line that starts with something else
  bad_text = 8,       // control characters, or not UTF-8
  quoted = 9,         // a field with quotes: the caller falls back to a full CSV reader
  empty_field = 10,   // nothing between two delimiters where a number is due
};

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Decimal integer, optional '-', the whole of [p, end).
inline Fault parse_integer(const char* p, const char* end, std::int64_t& value) {
  const bool negative = p != end && *p == '-';
  p += negative;
  if (p == end) return Fault::bad_integer;
  // Eighteen digits cannot overflow, so the common case needs no test per digit.
  const char* safe = end - p > 18 ? p + 18 : end;
  std::uint64_t sum = 0;
  for (; p != safe; ++p) {
    const unsigned digit = static_cast<unsigned char>(*p) - '0';
    if (digit > 9) return Fault::bad_integer;
    sum = sum * 10 + digit;
  }
  constexpr std::uint64_t limit = std::uint64_t{1} << 63;
  bool overflow = false;
  for (; p != end; ++p) {
    const unsigned digit = static_cast<unsigned char>(*p) - '0';
    if (digit > 9) return Fault::bad_integer;
    if (sum > (limit - digit) / 10) overflow = true;
    if (!overflow) sum = sum * 10 + digit;
  }
  if (overflow || sum > limit - !negative) return Fault::too_large;
  value = static_cast<std::int64_t>(negative ? ~sum + 1 : sum);
  return Fault::none;
}

// Finite decimal number, the whole of [p, end).
inline Fault parse_double(const char* p, const char* end, double& value) {
  if (p != end && *p == '+') ++p;
  if (p == end || *p == '+') return Fault::bad_number;
  const auto [stop, code] = std::from_chars(p, end, value);
  if (stop != end || code == std::errc::invalid_argument) return Fault::bad_number;
  if (code != std::errc() || !std::isfinite(value)) return Fault::not_finite;
  return Fault::none;
}

// 1 and 0 for the usual spellings of a truth value, -1 for anything else.
inline int parse_bool(std::string_view s) {
  if (s == "true" || s == "True" || s == "TRUE") return 1;
  if (s == "false" || s == "False" || s == "FALSE") return 0;
  return -1;
}

// What stands where a number is not known, in any case: nothing, nan, what R and databases write.
inline bool is_missing(std::string_view s) {
  const auto same = [](char c, char lower) { return c == lower || (lower >= 'a' && (c | 32) == lower); };
  for (const std::string_view word : {"", "nan", "-nan", "na", "null"})
    if (std::equal(s.begin(), s.end(), word.begin(), word.end(), same)) return true;
  return false;
}

// Printable UTF-8: no control characters, no overlong forms, no surrogates, nothing above U+10FFFF.
inline bool is_clean_text(std::string_view s) {
  const auto* p = reinterpret_cast<const unsigned char*>(s.data());
  const auto* end = p + s.size();
  while (p != end) {
    if (*p < 0x20 || *p == 0x7F) return false;
    if (*p < 0x80) {
      ++p;
      continue;
    }
    const int more = *p >= 0xF0 ? 3 : *p >= 0xE0 ? 2 : *p >= 0xC2 ? 1 : 0;
    if (more == 0 || *p > 0xF4 || end - p <= more) return false;
    std::uint32_t code = *p & (0x3F >> more);
    for (int i = 1; i <= more; ++i) {
      if ((p[i] & 0xC0) != 0x80) return false;
      code = code << 6 | (p[i] & 0x3F);
    }
    if (more == 2 && (code < 0x800 || (code >= 0xD800 && code < 0xE000))) return false;
    if (more == 3 && (code < 0x10000 || code > 0x10FFFF)) return false;
    p += more + 1;
  }
  return true;
}

}  // namespace subiso::formats
