#include "twigs/scan.hpp"

#include <algorithm>

#include "graph/parallel.hpp"

namespace subiso::twigs {
namespace {

constexpr std::size_t kBlockRows = 256;  // rows that a worker has to itself at a time

}  // namespace

// One thread's place in the scan: a root, the lists of its leaves and how far they are.
class ScanWorker {
 public:
  explicit ScanWorker(TwigScan& scan) : scan_(scan), twig_(scan.twig_), lists_(twig_.leaves.size()), at_(twig_.leaves.size()),
                                        row_(twig_.bits.size()), tests_(twig_.bits.size()), root_tests_(twig_.bits.size()) {
    for (const PairTest& t : twig_.tests)
      (t.earlier == 0 ? root_tests_ : tests_)[static_cast<std::size_t>(t.later)].push_back(t);
  }

  struct Piece {
    std::size_t begin, rows;
  };

  // Fills blocks of the target from row `base` on until there are no more, or no more rows; the last block may be filled in
  // part.
  void fill(const Target& target, std::size_t base) {
    pieces_.clear();
    for (;;) {
      const std::size_t begin = base + scan_.next_block_.fetch_add(1, std::memory_order_relaxed) * kBlockRows;
      if (begin >= target.capacity) return;
      const std::size_t rows = std::min(kBlockRows, target.capacity - begin);
      const std::size_t found = fill(target, begin, rows);
      pieces_.push_back({begin, found});
      if (found < rows) return;
    }
  }
  const std::vector<Piece>& pieces() const { return pieces_; }
  bool has_rows() const { return depth_ >= 0 || left_ != 0 || scan_.next_word_.load() < twig_.words(); }

 private:
  std::size_t fill(const Target& target, std::size_t begin, std::size_t rows) {
    std::size_t written = 0;
    while (written < rows && !scan_.stop_.load(std::memory_order_relaxed)) {
      if (depth_ < 0 && !next_root()) break;
      if (lists_.empty()) {
        write(target, begin + written++);
        depth_ = -1;
      } else {
        written += walk(target, begin + written, rows - written);
      }
    }
    return written;
  }

  // Goes on with the present root; returns when it is done or so many rows are written.
  std::size_t walk(const Target& target, std::size_t begin, std::size_t rows) {
    std::size_t written = 0;
    const int last = static_cast<int>(lists_.size()) - 1;
    while (depth_ >= 0) {
      const auto d = static_cast<std::size_t>(depth_);
      if (at_[d] == lists_[d].size()) {
        --depth_;
        continue;
      }
      if (written == rows) return written;
      const u32 x = lists_[d][at_[d]++];
      if (!fits(d + 1, x)) continue;
      row_[d + 1] = x;
      if (depth_ == last) {
        write(target, begin + written++);
      } else {
        at_[d + 1] = 0;
        ++depth_;
      }
    }
    return written;
  }

  bool fits(std::size_t slot, u32 x) const {
    for (const PairTest& t : tests_[slot])
      if (!twig_.passes(t, x, row_[static_cast<std::size_t>(t.earlier)])) return false;
    return true;
  }

  void write(const Target& target, std::size_t row) const {
    u32* at = target.data + row * target.row_stride;
    for (std::size_t s = 0; s < row_.size(); ++s) at[target.place[s]] = row_[s];
  }

  // The next root with candidates for every leaf; hubs come first, so that threads end together.
  bool next_root() {
    const std::size_t words = twig_.words();
    for (;;) {
      while (left_ == 0) {
        const std::size_t taken = scan_.next_word_.fetch_add(1, std::memory_order_relaxed);
        if (taken >= words) return false;
        word_ = words - 1 - taken;
        left_ = twig_.bits[0][word_];
      }
      const u32 root = static_cast<u32>(word_ * 64 + static_cast<std::size_t>(__builtin_ctzll(left_)));
      left_ &= left_ - 1;
      if (open(root)) return true;
      if (scan_.stop_.load(std::memory_order_relaxed)) return false;
    }
  }

  bool open(u32 root) {
    row_[0] = root;
    for (std::size_t leaf = 0; leaf < lists_.size(); ++leaf) {
      auto& list = lists_[leaf];
      list.clear();
      const auto& tests = root_tests_[leaf + 1];
      twig_.each_candidate(leaf, root, [&](u32 x) {
        if (std::all_of(tests.begin(), tests.end(), [&](const PairTest& t) { return twig_.passes(t, x, root); }))
          list.push_back(x);
      });
      if (list.empty()) return false;
    }
    depth_ = 0;
    if (!at_.empty()) at_[0] = 0;
    return true;
  }

  TwigScan& scan_;
  const Twig& twig_;
  std::vector<std::vector<u32>> lists_;
  std::vector<std::size_t> at_;
  std::vector<u32> row_;
  std::vector<std::vector<PairTest>> tests_, root_tests_;  // by later slot
  std::vector<Piece> pieces_;
  std::size_t word_ = 0;
  u64 left_ = 0;    // roots of that word still to come
  int depth_ = -1;  // the leaf whose list goes on; -1: a new root is wanted
};

namespace {

// Closes the gaps behind blocks that were filled in part: rows from the end move into them. Returns where the rows end.
std::size_t compact(const Target& target, std::size_t base, std::vector<ScanWorker::Piece> pieces) {
  std::sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::size_t total = base;
  for (const auto& piece : pieces) total += piece.rows;
  std::size_t from = pieces.size();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::size_t end = std::min(total, i + 1 < pieces.size() ? pieces[i + 1].begin : total);
    for (std::size_t hole = pieces[i].begin + pieces[i].rows; hole < end; ++hole) {
      while (pieces[from - 1].rows == 0) --from;
      auto& donor = pieces[from - 1];
      const u32* source = target.data + (donor.begin + --donor.rows) * target.row_stride;
      for (const std::size_t place : target.place) target.data[hole * target.row_stride + place] = source[place];
      if (donor.rows == 0) --from;
    }
  }
  return total;
}

}  // namespace

TwigScan::TwigScan(Twig twig, unsigned threads) : twig_(std::move(twig)) {
  const unsigned wanted = std::max(1u, std::min<unsigned>(threads, static_cast<unsigned>(twig_.words())));
  for (unsigned t = 0; t < wanted; ++t) workers_.push_back(std::make_unique<ScanWorker>(*this));
}

TwigScan::~TwigScan() = default;

std::size_t TwigScan::next(const Target& target) {
  std::size_t rows = 0;
  while (rows < target.capacity && !stop_.load()) {
    // Those that have come to their end would only take blocks away from the others.
    std::vector<ScanWorker*> busy;
    for (const auto& worker : workers_)
      if (worker->has_rows()) busy.push_back(worker.get());
    if (busy.empty()) break;
    next_block_.store(0);
    run_threads(static_cast<unsigned>(busy.size()), [&](unsigned t) { busy[t]->fill(target, rows); });
    std::vector<ScanWorker::Piece> pieces;
    for (const auto* worker : busy) pieces.insert(pieces.end(), worker->pieces().begin(), worker->pieces().end());
    rows = compact(target, rows, std::move(pieces));
  }
  return rows;
}

double TwigScan::progress() const {
  const double words = static_cast<double>(std::max<std::size_t>(twig_.words(), 1));
  return std::min(1.0, static_cast<double>(next_word_.load(std::memory_order_relaxed)) / words);
}

}  // namespace subiso::twigs
