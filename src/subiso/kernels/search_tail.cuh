// What a search counts below its partial matches: sizes of sets and a polynomial of them, and local counts.
#pragma once
#include "config.cuh"

namespace subiso {

template <class Plan, class Store, class Config>
class SearchTail {
 public:
  using Counts = typename CountsOf<Config::kTeam>::Type;

  SUBISO_DEVICE SearchTail(const SearchArgs<Store>& args, Plan plan, Stack stack, Counts counts)
      : args_(args), plan_(plan), stack_(stack), counts_(counts) {}

  SUBISO_DEVICE Wide total() const { return total_ + static_cast<Wide>(counted_); }
  SUBISO_DEVICE u64 steps() const { return steps_; }
  SUBISO_DEVICE u64 tasks() const { return tasks_; }

 protected:
  SUBISO_DEVICE int last() const { return plan_.num_levels() - 1; }
  SUBISO_DEVICE bool stopped() const { return ballot(load_fresh(&args_.share.control->stop) != 0) != 0; }
  SUBISO_DEVICE void note(u32 tasks) {
    if (!Config::kMeasure) return;
    steps_ += 1;
    tasks_ += tasks;
  }

  // ---- sizes -------------------------------------------------------------------------------------------------------
  // Lane i computes the polynomial of the set sizes below entry i of the last level; the warp counts together.
  // `early` sizes were computed for the entries above, of which `entry` is this lane's.
  // What it counted, as far as it fits into 64 bits.
  SUBISO_DEVICE u64 sizes_tail(bool present, const u32* early, u32 entry) {
    if (ballot(present) == 0) return 0;
    const auto last = before(plan_.num_levels());
    u32 sizes[kMaxSizes];
    plan_.each_size([&](auto s, auto level) {
      sizes[s] = plan_.asks(level, last) ? size_of(level, last, present) : shuffle(early[s], entry);
    });
    if constexpr (Config::kTally) tally_tail(present, sizes);
    if (!present) return 0;
    const auto part = polynomial(sizes);
    total_ += part;
    return static_cast<u64>(part);
  }

  // The size of a level's set below every lane's entry of position `from`.
  template <class Level, class From>
  SUBISO_DEVICE u32 size_of(Level level, From from, bool present) {
    return counted(level, from, present) - plan_.level(level).surely;
  }

  template <class Level, class From>
  SUBISO_DEVICE u32 counted(Level level, From from, bool present) {
    if constexpr (Config::kTeam != Team::kNone) {
      if (plan_.level(level).table != 0) return present ? looked_up(level, from) : 0;
    }
    if (plan_.level(level).measured)
      return present ? measure(plan_, args_.reads, stack_, level, from, lane_id()) : 0;
    Frontier f;
    if (present) f = local_candidates(plan_, args_.reads, stack_, level, from, lane_id());
    u32 size = 0, turn = 0;
    drain<Config::kBatch>(f, [&](const DrainTask& task) {
      note(popcount(ballot(task.present)));
      const u32 fitting = ballot(task.present && fits(plan_, args_.reads, stack_, level, from, task.vertex, task.entry,
                                                      task.origin));
      size += popcount(fitting & task.takers);
      if constexpr (Config::kWatchful) ++turns_;
      if (++turn % 256 == 0 && stopped()) left_ = true;
      return !left_;
    });
    return size;
  }

  // A size that is a codegree of the seed.
  template <class Level, class From>
  SUBISO_DEVICE u32 looked_up(Level level, From from) {
    u32 entry = lane_id();
    const int position = plan_.level(level).table - 1;
    for (int p = from; p > position; --p) entry = stack_.parent(p, entry);
    return counts_.at(stack_.vertex(position, entry)) - excluded(plan_, args_.reads, stack_, level, from, lane_id());
  }

  SUBISO_DEVICE auto polynomial(const u32* sizes) {
    using Value = typename ValueOf<Config::kNarrow>::Type;
    Value sum = 0;
    if constexpr (Config::kTail == Tail::kSizes)
      all_terms([&](auto term) {
        Value product = term.coefficient;
        for (int i = 0; i < term.count; ++i) product *= sizes[term.factors[i]];
        sum += product;
      });
    return sum;
  }
  template <class F>
  SUBISO_DEVICE void all_terms(F f) {
    all_of(plan_.zero(), plan_.num_terms(), [&](auto i) {
      f(plan_.term(i));
      return true;
    });
  }

  // ---- local counts ------------------------------------------------------------------------------------------------
  SUBISO_DEVICE Tally<Store> tally() const { return {args_.tally, args_.reads.store, stack_, last()}; }

  // Gives a lane's last vertex its part. The parts of the entry of this lane's own number, together.
  SUBISO_DEVICE u64 tally_step(const DrainTask& task, u64 part) const {
    if (part != 0) tally().give_late(task.vertex, task.entry, part);
    const u64 up_to = scan_add(part);
    const u32 first = least(lowest_bit(task.takers), kWarp - 1), count = popcount(task.takers);
    const u64 end = shuffle(up_to, count == 0 ? 0 : first + count - 1), own = shuffle(up_to - part, first);
    return count == 0 ? 0 : end - own;
  }

  // Gives the elements of the tail's sets theirs, below every lane's entry of the last level.
  SUBISO_DEVICE void tally_tail(bool present, const u32* sizes) {
    for (u32 i = 0; i < tally().num_tails(); ++i) {
      const TailShare share = tally().tail(i);
      const u64 weight = present && sizes[share.size] != 0 ? tally().weight(share, sizes) : 0;
      plan_.each_size([&](auto s, auto level) {
        if (s != share.size) return;
        Frontier f;
        if (weight != 0) f = local_candidates(plan_, args_.reads, stack_, level, before(plan_.num_levels()), lane_id());
        drain<Config::kBatch>(f, [&](const DrainTask& task) {
          const u64 its = shuffle(weight, task.entry);
          const bool ok = task.present && fits(plan_, args_.reads, stack_, level, before(plan_.num_levels()), task.vertex,
                                               task.entry, task.origin);
          if (ok) tally().give_tail(share, task.vertex, task.entry, its);
          return !left_;
        });
      });
    }
  }

  const SearchArgs<Store>& args_;
  const Plan plan_;
  Stack stack_;
  Counts counts_;
  bool left_ = false;       // the launch ends
  u32 turns_ = 1;           // since the last look at the others, also of counting sizes
  u64 counted_ = 0;
  Wide total_ = 0;
  u64 steps_ = 0, tasks_ = 0;
};

}  // namespace subiso
