#include "candidates/join.hpp"

#include <algorithm>
#include <bit>

namespace subiso {
namespace {

constexpr int kMostKeyBits = 63;
constexpr std::size_t kMostRows = 2'000'000;  // of one table: about 100 MB while it is made
constexpr std::uint32_t kNone = UINT32_MAX;
constexpr std::uint64_t kLookEvery = 4096;  // rows between two looks at the limits

void add_to(Times& sum, Times value) {
  if (__builtin_add_overflow(sum, value, &sum)) throw Failure{Elimination::kOverflow};
}

bool among(int u, const std::vector<int>& variables) {
  return std::find(variables.begin(), variables.end(), u) != variables.end();
}

}  // namespace

Times multiplied(Times x, Times y) {
  Times product = 0;
  if (__builtin_mul_overflow(x, y, &product)) throw Failure{Elimination::kOverflow};
  return product;
}

bool Join::fits(const std::vector<int>& variables, const std::vector<std::uint32_t>& sizes) {
  int bits = 0;
  for (int u : variables) bits += std::bit_width(sizes[static_cast<std::size_t>(u)]);
  return bits <= kMostKeyBits;
}

Join::Join(int v, const std::vector<int>& scope, const std::vector<std::uint32_t>& sizes, const std::vector<Factor>& own,
           const std::vector<Factor>& checked, const Limits& limits)
    : limits_(limits),
      scope_(scope), sizes_(sizes), value_(sizes.size(), kNone), rows_(scope.size() < 2 ? 0 : own.front().num_rows()) {
  for (const Factor& f : own) buckets_.push_back(sorted(f, v));
  std::sort(buckets_.begin(), buckets_.end(),
            [](const Bucket& x, const Bucket& y) { return x.order.size() < y.order.size(); });
  for (const Factor& f : checked) checks_.push_back(check_of(f, v));
  if (scope.size() == 1) single_.assign(sizes[static_cast<std::size_t>(scope[0])], 0);
}

int Join::bits_of(int variable) const { return std::bit_width(sizes_[static_cast<std::size_t>(variable)]); }

Join::Bucket Join::sorted(const Factor& f, int v) const {
  Bucket bucket{&f, f.column(v), {}, {}};
  bucket.offsets.assign(sizes_[static_cast<std::size_t>(v)] + std::size_t{1}, 0);
  for (std::size_t i = 0; i < f.num_rows(); ++i) ++bucket.offsets[f.row(i)[bucket.column] + std::size_t{1}];
  for (std::size_t x = 1; x < bucket.offsets.size(); ++x) bucket.offsets[x] += bucket.offsets[x - 1];
  bucket.order.resize(f.num_rows());
  std::vector<std::uint32_t> next(bucket.offsets.begin(), bucket.offsets.end() - 1);
  for (std::uint32_t i = 0; i < f.num_rows(); ++i) bucket.order[next[f.row(i)[bucket.column]]++] = i;
  return bucket;
}

Join::Check Join::check_of(const Factor& f, int v) const {
  Check check{f.variables, RowMap(f.num_rows()), 0};
  for (std::size_t i = 0; i < f.num_rows(); ++i) {
    std::uint64_t key = 0;
    for (std::size_t c = 0; c < f.arity(); ++c) key = key << bits_of(f.variables[c]) | f.row(i)[c];
    check.map[key] = f.times_of(i);
  }
  std::vector<int> known{v};
  while (!std::all_of(f.variables.begin(), f.variables.end(), [&](int u) { return among(u, known); })) {
    const Factor& next = *buckets_[check.ready++].factor;
    known.insert(known.end(), next.variables.begin(), next.variables.end());
  }
  return check;
}

void Join::run(const std::vector<Times>& weight) {
  for (std::uint32_t x = 0; x < weight.size(); ++x)
    if (weight[x] != 0) join(0, x, weight[x]);
}

std::uint64_t Join::packed(const std::vector<int>& variables) const {
  std::uint64_t key = 0;
  for (int u : variables) key = key << bits_of(u) | value_[static_cast<std::size_t>(u)];
  return key;
}

void Join::join(std::size_t i, std::uint32_t x, Times times) {
  if (i == buckets_.size()) return emit(times);
  const Bucket& bucket = buckets_[i];
  const Factor& f = *bucket.factor;
  for (std::uint32_t at = bucket.offsets[x]; at < bucket.offsets[x + std::size_t{1}]; ++at) {
    const std::uint32_t row = bucket.order[at];
    const std::uint32_t* values = f.row(row);
    if (++steps_ % kLookEvery == 0) look();
    std::uint64_t bound = 0;  // the columns that got their value here; there are at most 63, one bit of a key each
    bool agrees = true;
    for (std::size_t c = 0; c < f.arity() && agrees; ++c) {
      if (static_cast<int>(c) == bucket.column) continue;
      std::uint32_t& value = value_[static_cast<std::size_t>(f.variables[c])];
      if (value == kNone)
        value = values[c], bound |= std::uint64_t{1} << c;
      else
        agrees = value == values[c];
    }
    if (agrees) {
      const Times longer = checked(i + 1, f.times.empty() ? times : multiplied(times, f.times[row]));
      if (longer != 0) join(i + 1, x, longer);
    }
    for (std::size_t c = 0; bound != 0; ++c, bound >>= 1)
      if (bound & 1) value_[static_cast<std::size_t>(f.variables[c])] = kNone;
  }
}

void Join::look() const {
  if (steps_ > limits_.rows) throw Failure{Elimination::kTooMuch};
  if (!still_wanted(limits_.stop)) throw Failure{Elimination::kStopped};
}

Times Join::checked(std::size_t known, Times times) const {
  for (const Check& check : checks_) {
    if (check.ready != known) continue;
    const Times* found = check.map.find(packed(check.variables));
    if (found == nullptr) return 0;
    times = multiplied(times, *found);
  }
  return times;
}

void Join::emit(Times times) {
  if (scope_.empty())
    add_to(total_, times);
  else if (scope_.size() == 1)
    add_to(single_[value_[static_cast<std::size_t>(scope_[0])]], times);
  else if (rows_.size() < kMostRows)
    add_to(rows_[packed(scope_)], times);
  else
    throw Failure{Elimination::kTooMuch};
}

Factor Join::factor() const {
  Factor factor{scope_, {}, {}};
  rows_.each([&](std::uint64_t key, Times times) {
    factor.rows.resize(factor.rows.size() + scope_.size());
    std::uint32_t* row = factor.rows.data() + factor.rows.size() - scope_.size();
    for (std::size_t c = scope_.size(); c-- > 0;) {
      const int bits = bits_of(scope_[c]);
      row[c] = static_cast<std::uint32_t>(key & ((std::uint64_t{1} << bits) - 1));
      key >>= bits;
    }
    factor.times.push_back(times);
  });
  return factor;
}

}  // namespace subiso
