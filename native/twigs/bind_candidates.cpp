#include "twigs/bind_candidates.hpp"

#include <atomic>
#include <mutex>

#include "graph/parallel.hpp"

namespace subiso::twigs {
namespace {

using Marks = std::vector<std::vector<u64>>;

void mark(std::vector<u64>& marks, u32 v) {
  const std::atomic_ref<u64> word(marks[v >> 6]);
  const u64 bit = u64{1} << (v & 63);
  if (!(word.load(std::memory_order_relaxed) & bit)) word.fetch_or(bit, std::memory_order_relaxed);
}

// One thread's part: looks at roots, notes what they lead to.
class Binder {
 public:
  Binder(const Twig& twig, bool narrow, Marks& marks)
      : twig_(twig), narrow_(narrow), marks_(marks), entries(twig.leaves.size()), found_(twig.leaves.size()) {}

  void word(std::size_t w) {
    u64 kept = 0;
    for (u64 left = twig_.bits[0][w]; left != 0; left &= left - 1)
      if (root(static_cast<u32>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(left))))) kept |= left & -left;
    if (narrow_) twig_.bits[0][w] = kept;
    num_roots += static_cast<u64>(__builtin_popcountll(kept));
  }

 private:
  bool root(u32 v) {
    double product = 1;
    for (std::size_t leaf = 0; leaf < found_.size(); ++leaf) {
      auto& found = found_[leaf];
      found.clear();
      twig_.each_candidate(leaf, v, [&](u32 x) { found.push_back(x); });
      if (found.empty()) return false;
      product *= static_cast<double>(found.size());
    }
    rows += product;
    for (std::size_t leaf = 0; leaf < found_.size(); ++leaf) {
      entries[leaf] += static_cast<double>(found_[leaf].size());
      if (narrow_)
        for (const u32 x : found_[leaf]) mark(marks_[leaf], x);
    }
    return true;
  }

  const Twig& twig_;
  const bool narrow_;
  Marks& marks_;

 public:
  double rows = 0;
  u64 num_roots = 0;
  std::vector<double> entries;

 private:
  std::vector<std::vector<u32>> found_;
};

u64 intersect(u64* bits, const std::vector<u64>& marks) {
  u64 size = 0;
  for (std::size_t w = 0; w < marks.size(); ++w) size += static_cast<u64>(__builtin_popcountll(bits[w] &= marks[w]));
  return size;
}

}  // namespace

Bindings bind_candidates(const Twig& twig, bool narrow, unsigned threads) {
  constexpr std::size_t kPiece = 16;  // words that a thread takes at a time
  const std::size_t words = twig.words();
  Marks marks(narrow ? twig.leaves.size() : 0, std::vector<u64>(words));
  Bindings result{0, std::vector<double>(twig.leaves.size()), std::vector<u64>(twig.bits.size())};
  std::atomic<std::size_t> next{0};
  std::mutex one_at_a_time;
  run_threads(threads_for(words * 64, threads), [&](unsigned) {
    Binder binder(twig, narrow, marks);
    for (std::size_t begin; (begin = next.fetch_add(kPiece)) < words;)
      for (std::size_t w = begin; w < std::min(words, begin + kPiece); ++w) binder.word(w);
    const std::lock_guard lock(one_at_a_time);
    result.rows += binder.rows;
    result.sizes[0] += binder.num_roots;
    for (std::size_t leaf = 0; leaf < binder.entries.size(); ++leaf) result.entries[leaf] += binder.entries[leaf];
  });
  for (std::size_t leaf = 0; leaf < marks.size(); ++leaf) result.sizes[leaf + 1] = intersect(twig.bits[leaf + 1], marks[leaf]);
  return result;
}

}  // namespace subiso::twigs
