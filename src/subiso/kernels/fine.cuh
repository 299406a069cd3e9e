// Schedule `fine`: one lane checks one candidate. A warp keeps at most 32 partial matches per level in shared memory,
// deals the candidates of all of them to its lanes through a virtual task pool, and goes depth first. Work comes from an
// initial pool (the seeds, or partial matches grown from them) and then from busy warps (share.cuh). No buffer depends on
// degrees. A path ends in a count, in a polynomial of set sizes, or in a row of the output.
#pragma once
#include "checks.cuh"
#include "edges.cuh"
#include "share.cuh"

namespace subiso {

enum class Tail { kCount, kSizes, kRows };

// What is compiled in; everything else is an argument.
template <Tail kTailKind, bool kEdgesOn = false, bool kMeasureOn = false, u32 kBatchSize = 32, bool kShareOn = true,
          u32 kPeriodSteps = 8, u32 kLeastGift = 32>
struct Config {
  static constexpr Tail kTail = kTailKind;
  static constexpr bool kEdges = kEdgesOn;         // edge-isomorphism
  static constexpr bool kMeasure = kMeasureOn;     // count steps and tasks
  static constexpr u32 kBatch = kBatchSize;        // partial matches whose candidates are dealt together
  static constexpr bool kShare = kShareOn;         // hand work over
  static constexpr u32 kPeriod = kPeriodSteps;     // steps between two looks at the others
  static constexpr u32 kLeast = kLeastGift;        // tasks of the current level that are worth a letter
};

// The initial pool: `rows` partial matches of `width` vertices, position by position, `capacity` apart.
struct Pool {
  const u32* vertices;
  const u64* grown;  // rows, written by an earlier kernel; null: `rows` says it
  u64 rows;
  u64 capacity;
  u32 width;
  u32 chunk;         // rows that a warp takes at a time at most, 32 or less
};

template <class Store>
struct FineArgs {
  Reads<Store> reads;
  ShareArgs share;
  const Tables* tables;
  Pool seeds;            // always there, width 1
  Pool pool;             // width 0: none; not used when it did not hold all rows
  u32* rows;             // Tail::kRows
  u64 row_capacity;
  u64 row_stride, column_stride;
  const u32* translate;  // rank -> what leaves; null: the rank
  u64 keep;              // when the output is full: save the stacks for the next launch
};

template <class Plan, class Store, class Config>
class FineWarp {
 public:
  SUBISO_DEVICE FineWarp(const FineArgs<Store>& args, Plan plan, Stack stack)
      : args_(args), plan_(plan), stack_(stack), share_(args.share), pool_(args.seeds) {
    if (args.pool.width != 0) {
      const u64 rows = load_fresh(args.pool.grown);
      if (rows <= args.pool.capacity) {
        pool_ = args.pool;
        pool_.rows = rows;
      }
    }
    // Every warp comes twice: many rows at a time keep the lanes busy, and what is uneven is handed over later.
    const u64 share = pool_.rows / (u64{2} * num_blocks() * warps_per_block());
    pool_.chunk = static_cast<u32>(greatest(u64{1}, least(u64{pool_.chunk}, share)));
  }

  SUBISO_DEVICE void run() {
    share_.enter();
    depth_ = share_.receive(stack_, frontier_);
    u32 step = 0;
    while (true) {
      if (depth_ < 0 && !fetch()) {
        if (left_ || !share_.wait()) break;
        depth_ = share_.receive(stack_, frontier_);
        continue;
      }
      // First a step, then a look at the others: work that is handed on at once would go round for ever.
      if (depth_ >= 0 && !advance()) pop();
      if (++step % Config::kPeriod == 0 && share_.look(stack_, frontier_, depth_) == Signal::kLeave) left_ = true;
      if (left_) break;
    }
    if (Config::kTail == Tail::kRows && args_.keep) share_.save(stack_, frontier_, depth_);
  }

  SUBISO_DEVICE Wide total() const { return total_ + static_cast<Wide>(counted_); }
  SUBISO_DEVICE u64 steps() const { return steps_; }
  SUBISO_DEVICE u64 tasks() const { return tasks_; }

 private:
  SUBISO_DEVICE int last() const { return plan_.num_levels() - 1; }

  // ---- taking work -------------------------------------------------------------------------------------------------
  // Takes rows of the pool. False when there are none; depth_ may still be -1 afterwards if none of them fits.
  SUBISO_DEVICE bool fetch() {
    u64 at = 0;
    if (lane_id() == 0) at = atomic_add(&args_.share.control->next, u64{pool_.chunk});
    at = shuffle(at, 0);
    if (at >= pool_.rows) return false;
    const u32 found = static_cast<u32>(least(u64{pool_.chunk}, pool_.rows - at));
    const u32 lane = lane_id();
    const int width = static_cast<int>(pool_.width);
    const u64 row = at + least(lane, found - 1);
    sync_warp();
    if (width == 1) {
      seed(load_constant(pool_.vertices + row), lane < found);
      return true;
    }
    for (int p = 0; p < width; ++p) {
      stack_.put(p, lane, load_constant(pool_.vertices + static_cast<u64>(p) * pool_.capacity + row), lane);
      if (p < width - 1) stack_.set_frontier(p, {});
    }
    sync_warp();
    open(width - 1, found);
    return true;
  }

  SUBISO_DEVICE void seed(u32 vertex, bool present) {
    bool ok = present;
    if constexpr (Config::kEdges) ok = ok && edges_possible(plan_, args_.reads.entities, stack_, 0, vertex, 0);
    if (Config::kTail != Tail::kSizes && last() == 0) {
      finish_seed(vertex, ok);
      return;
    }
    const u32 fitting = ballot(ok);
    if (ok) stack_.put(0, popcount(fitting & lanes_below()), vertex, 0);
    sync_warp();
    if (fitting != 0) open(0, popcount(fitting));
  }

  // A pattern of one vertex.
  SUBISO_DEVICE void finish_seed(u32 vertex, bool ok) {
    if constexpr (Config::kTail == Tail::kRows) {
      const u32 fitting = ballot(ok);
      u64 row = 0;
      // Rows that did not fit are lost to this launch, and the host never lets it come to that (one launch holds all).
      if (fitting == 0 || !reserve(fitting, row)) return;
      if (ok) args_.rows[row * args_.row_stride] = args_.translate ? load_constant(args_.translate + vertex) : vertex;
    } else {
      counted_ += ok;
    }
  }

  // `count` entries were put at `level`: what is below them? In a sizes tail the last level is evaluated at once.
  SUBISO_DEVICE void open(int level, u32 count) {
    if (Config::kTail == Tail::kSizes && level == last()) {
      sizes_tail(count);
      return;
    }
    depth_ = level;
    frontier_ = {};
    if (lane_id() < count)
      frontier_ = plan_.at(level + 1, [&](auto next) {
        return local_candidates(plan_, args_.reads, stack_, next, before(next), lane_id());
      });
  }

  SUBISO_DEVICE void pop() {
    if (--depth_ >= 0) frontier_ = stack_.frontier(depth_);
  }

  // ---- one step ----------------------------------------------------------------------------------------------------
  // Deals one task per lane below the current level. False when nothing is left there.
  SUBISO_DEVICE bool advance() {
    const Task task = deal<Config::kBatch>(frontier_);
    const u32 tried = ballot(task.present);
    if (tried == 0) return false;
    if (Config::kMeasure) {
      steps_ += 1;
      tasks_ += popcount(tried);
    }
    const int level = depth_ + 1;
    const bool ok = task.present && plan_.at(level, [&](auto l) {
      return fits(plan_, args_.reads, stack_, l, before(l), task.vertex, task.entry, task.origin);
    }) && edges_fit(level, task);
    if (Config::kTail != Tail::kSizes && level == last())
      finish(task, ok);
    else
      push(level, task, ok);
    return true;
  }

  SUBISO_DEVICE bool edges_fit(int level, const Task& task) {
    if constexpr (Config::kEdges)
      return edges_possible(plan_, args_.reads.entities, stack_, level, task.vertex, task.entry);
    return true;
  }

  SUBISO_DEVICE void push(int level, const Task& task, bool ok) {
    commit(frontier_, task);
    const u32 fitting = ballot(ok);
    if (fitting == 0) return;
    stack_.set_frontier(depth_, frontier_);
    sync_warp();  // nobody still reads the entries that are written now
    if (ok) stack_.put(level, popcount(fitting & lanes_below()), task.vertex, task.entry);
    sync_warp();
    open(level, popcount(fitting));
    sync_warp();
  }

  SUBISO_DEVICE void finish(const Task& task, bool ok) {
    if constexpr (Config::kTail == Tail::kRows) {
      const u32 fitting = ballot(ok);
      u64 row = 0;
      if (fitting != 0 && !reserve(fitting, row)) return;  // the tasks stay where they are
      if (ok) write_row(row, task);
    } else {
      counted_ += ok;
    }
    commit(frontier_, task);
  }

  // ---- rows --------------------------------------------------------------------------------------------------------
  // Room for a row per fitting lane. False when the output is full: then the launch ends.
  SUBISO_DEVICE bool reserve(u32 fitting, u64& row) {
    u64 begin = 0;
    const u64 wanted = popcount(fitting);
    if (lane_id() == 0) begin = atomic_add(&args_.share.control->rows, wanted);
    begin = shuffle(begin, 0);
    row = begin + popcount(fitting & lanes_below());
    if (begin + wanted <= args_.row_capacity) return true;
    // Once one warp asks for too much, everybody after it does: the first one knows where the rows end.
    if (lane_id() == 0) {
      if (begin <= args_.row_capacity) store_fresh(&args_.share.control->rows_end, begin);
      store_fresh(&args_.share.control->full, 1u);
    }
    left_ = true;
    return false;
  }

  SUBISO_DEVICE void write_row(u64 row, const Task& task) {
    plan_.at(last(), [&](auto level) {
      u32 entry = task.entry;
      write_cell(row, plan_.column(level), task.vertex);
      descend(before(level), [&](auto p) {
        write_cell(row, plan_.column(p), stack_.vertex(p, entry));
        entry = stack_.parent(p, entry);
      });
      return 0;
    });
  }
  SUBISO_DEVICE void write_cell(u64 row, int column, u32 vertex) {
    args_.rows[row * args_.row_stride + static_cast<u64>(column) * args_.column_stride] =
        args_.translate ? load_constant(args_.translate + vertex) : vertex;
  }

  // ---- sizes -------------------------------------------------------------------------------------------------------
  // Lane i computes the polynomial of the set sizes below entry i of the last level; the warp counts together.
  SUBISO_DEVICE void sizes_tail(u32 count) {
    u32 sizes[kMaxSizes];
    plan_.each_size([&](auto s, auto level) { sizes[s] = size_of(level, count) - plan_.level(level).surely; });
    if (lane_id() < count) total_ += polynomial(sizes);
  }

  template <class Level>
  SUBISO_DEVICE u32 size_of(Level level, u32 count) {
    const auto from = before(plan_.num_levels());
    if (plan_.level(level).measured)
      return lane_id() < count ? measure(plan_, args_.reads, stack_, level, from, lane_id()) : 0;
    Frontier f;
    if (lane_id() < count) f = local_candidates(plan_, args_.reads, stack_, level, from, lane_id());
    u32 size = 0;
    for (u32 turn = 1;; ++turn) {
      if (turn % 256 == 0 && stopped()) return size;
      const Task task = deal<Config::kBatch>(f);
      const u32 tried = ballot(task.present);
      if (tried == 0) return size;
      if (Config::kMeasure) {
        steps_ += 1;
        tasks_ += popcount(tried);
      }
      const u32 fitting = ballot(task.present && fits(plan_, args_.reads, stack_, level, from, task.vertex, task.entry,
                                                      task.origin));
      // The tasks of one entry stand side by side: this lane's entry had `taken` of them, after those of lower entries.
      const u32 begin = scan_add(task.taken) - task.taken;
      const u32 mine = task.taken == 32 ? kFull : ((1u << task.taken) - 1) << (begin & 31);
      if (task.taken != 0) size += popcount(fitting & mine);
      commit(f, task);
    }
  }

  SUBISO_DEVICE bool stopped() const { return ballot(load_fresh(&args_.share.control->stop) != 0) != 0; }

  SUBISO_DEVICE Wide polynomial(const u32* sizes) {
    Wide sum = 0;
    if constexpr (Config::kTail == Tail::kSizes)
      all_terms([&](auto term) {
        Wide product = term.coefficient;
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

  const FineArgs<Store>& args_;
  const Plan plan_;
  Stack stack_;
  const Share<Config> share_;
  Pool pool_;
  Frontier frontier_;
  int depth_ = -1;
  bool left_ = false;
  u64 counted_ = 0;
  Wide total_ = 0;
  u64 steps_ = 0, tasks_ = 0;
};

// Levels of the stack that a plan needs: all but the last, whose candidates are never kept, unless sizes hang below it.
template <Tail kTail>
SUBISO_DEVICE constexpr int stack_levels(int num_levels) {
  return kTail == Tail::kSizes || num_levels == 1 ? num_levels : num_levels - 1;
}

// The kernel's body: every warp searches, then the block adds up.
template <class Plan, class Store, class Config>
SUBISO_DEVICE void fine_search(const FineArgs<Store>& args, Plan plan) {
  const u32 levels = static_cast<u32>(stack_levels<Config::kTail>(plan.num_levels()));
  const u32 number = warp_in_block();
  Stack stack(reinterpret_cast<StackLevel*>(shared_memory()) + number * levels);
  FineWarp<Plan, Store, Config> warp(args, plan, stack);
  warp.run();

  if (Config::kMeasure && lane_id() == 0) {
    atomic_add(&args.share.control->steps, warp.steps());
    atomic_add(&args.share.control->tasks, warp.tasks());
  }
  if (Config::kTail == Tail::kRows) return;
  const Wide total = reduce_add(warp.total());
  sync_block();  // the stacks are no longer used
  Wide* totals = reinterpret_cast<Wide*>(shared_memory());
  if (lane_id() == 0) totals[number] = total;
  sync_block();
  if (number != 0 || lane_id() != 0) return;
  Wide sum = 0;
  for (u32 w = 0; w < warps_per_block(); ++w) sum += totals[w];
  if (sum != 0) atomic_add(&args.share.control->count, sum);
}

}  // namespace subiso
