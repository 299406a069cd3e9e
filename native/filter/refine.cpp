#include "filter/refine.hpp"

#include <algorithm>
#include <atomic>

#include "filter/numbering.hpp"
#include "graph/parallel.hpp"

namespace subiso {
namespace {

bool in(const std::uint64_t* bits, std::uint32_t v) { return bits[v >> 6] >> (v & 63) & 1; }

struct Outcome {
  std::uint64_t work = 0;  // list elements looked at
  bool dropped = false;
};

// Candidates as bitmaps, to look them up in, and as lists, to go through them.
class Refiner {
 public:
  Refiner(const CsrStore& store, const std::vector<std::uint64_t*>& filters, std::size_t num_vertices, unsigned threads)
      : store_(store), filters_(filters), threads_(threads), members_(num_vertices), gone_(num_vertices) {
    const std::size_t words = (store.num_vertices() + std::size_t{63}) / 64;
    for (std::size_t v = 0; v < num_vertices; ++v)
      if (filters[v] != nullptr) members_[v] = Numbering(filters[v], words).members();
  }

  bool filtered(int a) const { return static_cast<std::size_t>(a) < members_.size() && bits(a) != nullptr; }
  std::uint64_t size(int a) const { return filtered(a) ? members(a).size() : store_.num_vertices(); }

  // Drops the candidates of d.a that do not meet the demand: reads their lists, or those of d.b's candidates, if these
  // are fewer.
  Outcome apply(const Demand& d) { return from_b(d) && size(d.b) < size(d.a) ? reach(d) : look(d); }

  // The same for a demand that was met when d.b had lost `since` candidates: where few are gone since, only neighbours of
  // these are looked at.
  Outcome apply_again(const Demand& d, std::size_t since) {
    constexpr std::size_t kFew = 4;
    return from_b(d) && kFew * (lost(d.b) - since) < lists(d) ? look_around(d, since) : apply(d);
  }

  // Candidates of a vertex that were dropped so far.
  std::size_t lost(int a) const { return static_cast<std::size_t>(a) < gone_.size() ? gone_[static_cast<std::size_t>(a)].size() : 0; }

  // The mean number of d.b's candidates next to one of d.a's.
  double fan(const Demand& d) const {
    const std::uint64_t* others = bits(d.b);
    std::uint64_t met = 0;
    for (std::uint32_t v : members(d.a)) {
      const Span list = store_.neighbors(v, d.relation);
      met += others == nullptr ? list.size : count_in(list, others);
    }
    return members(d.a).empty() ? -1.0 : static_cast<double>(met) / static_cast<double>(size(d.a));
  }

  // Elements of the lists of d.a's candidates.
  std::uint64_t entries(const Demand& d) const {
    std::uint64_t sum = 0;
    for (std::uint32_t v : members(d.a)) sum += store_.neighbors(v, d.relation).size;
    return sum;
  }

  bool overlap(int a, int b) const {
    if (!filtered(a) || !filtered(b)) return true;
    if (size(a) > size(b)) std::swap(a, b);
    return std::any_of(members(a).begin(), members(a).end(), [&](std::uint32_t v) { return in(bits(b), v); });
  }

  // Lists that are read for the demand.
  std::uint64_t lists(const Demand& d) const { return from_b(d) ? std::min(size(d.a), size(d.b)) : size(d.a); }
  // Their elements, about, where those of d.a's candidates are read.
  double price(const Demand& d) const {
    return static_cast<double>(size(d.a)) * static_cast<double>(store_.num_entries(d.relation)) /
           static_cast<double>(std::max(store_.num_vertices(), 1u));
  }

 private:
  std::uint64_t* bits(int v) const { return filters_[static_cast<std::size_t>(v)]; }
  std::vector<std::uint32_t>& members(int a) { return members_[static_cast<std::size_t>(a)]; }
  const std::vector<std::uint32_t>& members(int a) const { return members_[static_cast<std::size_t>(a)]; }
  bool from_b(const Demand& d) const { return d.count == 1 && d.reverse >= 0 && filtered(d.b); }

  void drop(int a, std::uint32_t v) {
    bits(a)[v >> 6] &= ~(std::uint64_t{1} << (v & 63));
    gone_[static_cast<std::size_t>(a)].push_back(v);
  }

  template <class Keep>
  bool drop_unless(int a, Keep keep) {
    std::vector<std::uint32_t>& list = members(a);
    std::uint64_t* own = bits(a);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::uint32_t v = list[i];
      if (keep(i))
        list[kept++] = v;
      else if (in(own, v))
        drop(a, v);
    }
    const bool dropped = kept != list.size();
    list.resize(kept);
    return dropped;
  }

  Outcome look_around(const Demand& d, std::size_t since) {
    Outcome outcome;
    const std::uint64_t *own = bits(d.a), *others = bits(d.b);
    for (std::size_t i = since; i < lost(d.b); ++i) {
      const Span around = store_.neighbors(gone_[static_cast<std::size_t>(d.b)][i], d.reverse);
      outcome.work += around.size;
      for (std::uint32_t v : around)
        if (in(own, v) && !enough(store_.neighbors(v, d.relation), others, 1, outcome.work)) {
          drop(d.a, v);
          outcome.dropped = true;
        }
    }
    if (outcome.dropped) drop_unless(d.a, [&](std::size_t j) { return in(own, members(d.a)[j]); });
    return outcome;
  }

  Outcome reach(const Demand& d) {
    if (reached_.empty()) reached_.assign((store_.num_vertices() + std::size_t{63}) / 64, 0);
    Outcome outcome;
    for (std::uint32_t v : members(d.b)) {
      const Span list = store_.neighbors(v, d.reverse);
      outcome.work += list.size;
      for (std::uint32_t u : list) reached_[u >> 6] |= std::uint64_t{1} << (u & 63);
    }
    outcome.dropped = drop_unless(d.a, [&](std::size_t i) { return in(reached_.data(), members(d.a)[i]); });
    for (std::uint32_t v : members(d.b))
      for (std::uint32_t u : store_.neighbors(v, d.reverse)) reached_[u >> 6] = 0;
    return outcome;
  }

  Outcome look(const Demand& d) {
    constexpr double kFew = 1 << 18;  // elements that one thread looks at
    const std::uint64_t* others = bits(d.b);
    const std::vector<std::uint32_t>& list = members(d.a);
    if (price(d) < kFew) {
      Outcome outcome;
      outcome.dropped = drop_unless(d.a, [&](std::size_t i) {
        return enough(store_.neighbors(list[i], d.relation), others, static_cast<std::size_t>(d.count), outcome.work);
      });
      return outcome;
    }
    std::vector<char> meets(list.size());
    std::atomic<std::uint64_t> work{0};
    std::atomic<std::size_t> taken{0};
    const std::size_t chunk = 1024;
    run_threads(threads_up_to(static_cast<std::size_t>(price(d)), threads_), [&](unsigned) {
      std::uint64_t looked = 0;
      for (std::size_t begin; (begin = taken.fetch_add(chunk)) < list.size();)
        for (std::size_t i = begin; i < std::min(begin + chunk, list.size()); ++i)
          meets[i] = enough(store_.neighbors(list[i], d.relation), others, static_cast<std::size_t>(d.count), looked);
      work += looked;
    });
    return {work, drop_unless(d.a, [&](std::size_t i) { return meets[i] != 0; })};
  }

  // Whether so many elements of a list are in the bitmap; stops as soon as that is known.
  static bool enough(Span list, const std::uint64_t* others, std::size_t count, std::uint64_t& looked) {
    if (list.size < count || others == nullptr) return list.size >= count;
    std::size_t found = 0;
    for (std::size_t i = 0; i < list.size; ++i) {
      found += in(others, list.data[i]);
      if (found == count) {
        looked += i + 1;
        return true;
      }
    }
    looked += list.size;
    return count == 0;
  }

  const CsrStore& store_;
  const std::vector<std::uint64_t*>& filters_;
  const unsigned threads_;  // at most; 0: as many as are worth it
  std::vector<std::vector<std::uint32_t>> members_;  // of the pattern's vertices
  std::vector<std::vector<std::uint32_t>> gone_;     // those that were dropped, in order
  std::vector<std::uint64_t> reached_;
};

// Demands that wait to be looked at, always the cheapest next: what rare candidates drop, common ones need not read.
class Waiting {
 public:
  Waiting(Refiner& refiner, const std::vector<Demand>& demands, std::uint64_t budget)
      : refiner_(refiner), demands_(demands), budget_(budget), waits_(demands.size()), met_(demands.size(), kNever) {
    for (const Demand& d : demands) {
      waits_[lists_.size()] = refiner.filtered(d.a);
      lists_.push_back(refiner.lists(d));
    }
  }

  // Candidates of `a` have become fewer.
  void notice(int a) {
    for (std::size_t j = 0; j < demands_.size(); ++j) {
      const Demand& d = demands_[j];
      if (d.b == a && refiner_.filtered(d.a)) waits_[j] = true;
      if (d.a == a || d.b == a) lists_[j] = refiner_.lists(d);
    }
  }

  // Until nothing waits; false when the budget is spent before.
  bool run() {
    for (std::size_t i; (i = next()) < demands_.size();) {
      if (work_ > budget_) return false;
      waits_[i] = false;
      const std::size_t lost = refiner_.lost(demands_[i].b);
      const Outcome outcome = met_[i] == kNever ? refiner_.apply(demands_[i]) : refiner_.apply_again(demands_[i], met_[i]);
      met_[i] = lost;
      work_ += outcome.work;
      if (outcome.dropped) notice(demands_[i].a);
    }
    return true;
  }

 private:
  std::size_t next() const {
    std::size_t best = waits_.size();
    for (std::size_t i = 0; i < waits_.size(); ++i)
      if (waits_[i] && (best == waits_.size() || lists_[i] < lists_[best])) best = i;
    return best;
  }

  static constexpr std::size_t kNever = SIZE_MAX;

  Refiner& refiner_;
  const std::vector<Demand>& demands_;
  const std::uint64_t budget_;
  std::vector<char> waits_;
  std::vector<std::uint64_t> lists_;  // that each has to read
  std::vector<std::size_t> met_;  // how many candidates of b were lost when the demand was last met
  std::uint64_t work_ = 0;
};

}  // namespace

Refined refine(const CsrStore& store, const std::vector<std::uint64_t*>& filters, const Demands& demands,
               std::size_t num_vertices, std::uint64_t budget, unsigned threads) {
  Refiner refiner(store, filters, num_vertices, threads);
  Refined result;
  const auto sizes = [&] {
    std::vector<std::uint64_t> found;
    for (std::size_t v = 0; v < num_vertices; ++v) found.push_back(refiner.size(static_cast<int>(v)));
    return found;
  };
  result.first_sizes = sizes();
  Waiting waiting(refiner, demands.again, budget);
  result.complete = waiting.run();
  for (const Demand& d : demands.after)
    if (refiner.filtered(d.a) && refiner.apply(d).dropped) waiting.notice(d.a);
  result.complete = result.complete && waiting.run();
  result.sizes = sizes();
  double price = 0;
  for (const Demand& d : demands.again) price += refiner.price(d);
  for (const Demand& d : demands.again)
    result.fans.push_back(price <= static_cast<double>(budget) && refiner.filtered(d.a) ? refiner.fan(d) : -1.0);
  for (const Demand& d : demands.again) result.entries.push_back(refiner.filtered(d.a) ? refiner.entries(d) : 0);
  result.overlaps.assign(num_vertices, 0);
  for (std::size_t a = 0; a < num_vertices; ++a)
    for (std::size_t b = 0; b <= a; ++b)
      if (refiner.overlap(static_cast<int>(a), static_cast<int>(b))) {
        result.overlaps[a] |= std::uint64_t{1} << b;
        result.overlaps[b] |= std::uint64_t{1} << a;
      }
  return result;
}

}  // namespace subiso
