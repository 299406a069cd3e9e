// Who has work and who wants some. A warp that runs dry signs up as idle: in its block's set, or, when the whole block is
// idle, the last one signs the block up in the device's set. Busy warps look at both sets now and then and mail half of
// what is left at their shallowest open level. Everything goes through device memory: one mechanism for both distances.
#pragma once
#include "sets.cuh"

namespace subiso {

struct alignas(128) Control {
  // Over all launches of a run.
  Total count;
  u64 steps, tasks, gifts;       // of lanes: see Config::kMeasure
  u64 copies;                    // of lists, which warps share (levels_share.cuh)
  alignas(128) u64 next;         // the first row of the pool that nobody has taken
  // Of one launch; the host clears them before it.
  alignas(128) u32 stop;         // set by the host
  u32 full;                      // the output is full: save and leave
  u32 idle_blocks;
  alignas(128) u64 rows;         // rows asked for, also in vain
  u64 rows_end;                  // when full: where the last row ends
  alignas(128) u32 busy_blocks;  // with a busy warp, among those that have started
  u32 started_blocks;
};

// At a kernel's end, by all warps: the block adds up in shared memory, which nobody else uses any more.
SUBISO_DEVICE void add_up(Control* control, Wide mine) {
  const Wide total = reduce_add(mine);
  Wide* totals = reinterpret_cast<Wide*>(shared_memory());
  const u32 number = warp_in_block();
  sync_block();
  if (lane_id() == 0) totals[number] = total;
  sync_block();
  if (number != 0 || lane_id() != 0) return;
  Wide sum = 0;
  for (u32 w = 0; w < warps_per_block(); ++w) sum += totals[w];
  if (sum != 0) atomic_add(&control->count, sum);
}

struct alignas(32) BlockControl {
  u32 busy;       // warps; the host sets it to all of them
  u32 idle;       // warps that wait for mail, as bits
  u32 registrar;  // who waits for mail on behalf of an idle block
  u32 done;       // nothing will come any more
};

// Rows of the pool that a warp has taken and not yet begun.
struct Range {
  u64 at, end;
};

// A part of the search, on its way to another warp or to the next launch. Levels and spans of sets follow; the sets
// themselves are copied into the receiver's arena, to the same places.
struct alignas(16) Mail {
  Range range;
  i32 depth;  // -1: a range only
  u32 top;
  u32 unused[2];
  SUBISO_DEVICE StackLevel* levels() { return reinterpret_cast<StackLevel*>(this + 1); }
};

struct ShareArgs {
  Control* control;
  BlockControl* blocks;
  u32* idle_blocks;  // bits
  u32* mail_states;  // per warp: 1 = mail is there
  u8* mails;
  u64 mail_bytes;
  u64 grace;         // turns that an idle block waits for blocks that have not started
};

SUBISO_DEVICE bool anybody_waits(const ShareArgs& args) {
  return ballot((load_fresh(&args.blocks[block_id()].idle) | load_fresh(&args.control->idle_blocks)) != 0) != 0;
}

enum class Signal { kGoOn, kWanted, kLeave };  // wanted: somebody is idle

template <class Config>
class Share {
 public:
  SUBISO_DEVICE Share(const ShareArgs& args, const SetArgs& sets, u32 num_levels, u32 num_sets)
      : args_(args),
        sets_(sets),
        num_levels_(num_levels),
        num_sets_(num_sets),
        warp_(warp_in_block()),
        self_(block_id() * warps_per_block() + warp_) {}

  // Before anything else, by all warps of the block.
  SUBISO_DEVICE void enter() const {
    if (warp_ == 0 && lane_id() == 0) {
      atomic_add(&args_.control->busy_blocks, 1u);
      atomic_add(&args_.control->started_blocks, 1u);
    }
    sync_block();
  }

  // Mail from the launch before, or from another warp: fills the stack, the frontier and the range.
  SUBISO_DEVICE bool receive(Stack& stack, Frontier& frontier, Range& range, int& depth) const {
    u32 there = 0;
    if (lane_id() == 0) there = load_fresh(args_.mail_states + self_);
    if (shuffle(there, 0) == 0) return false;
    fence_device();
    sync_warp();
    Mail* mail = mail_of(self_);
    depth = load_fresh(&mail->depth);
    range = {load_fresh(&mail->range.at), load_fresh(&mail->range.end)};
    stack.top = load_fresh(&mail->top);
    for (int p = 0; p <= depth; ++p) {
      const StackLevel& from = mail->levels()[p];
      stack.put(p, lane_id(), load_fresh(from.vertex + lane_id()), load_fresh(from.parent + lane_id()));
      frontier = {load_fresh(from.next + lane_id()), load_fresh(from.left + lane_id()),
                  load_fresh(from.origin + lane_id())};
      if (p < depth) stack.set_frontier(p, frontier);
    }
    const Span* spans = spans_of(mail);
    for (u32 s = 0; s < num_sets_; ++s)
      stack.span(s) = {load_fresh(&spans[s * kWarp + lane_id()].begin), load_fresh(&spans[s * kWarp + lane_id()].size)};
    const u32* bases = reinterpret_cast<const u32*>(spans + num_sets_ * kWarp);
    if (num_sets_ != 0 && lane_id() < num_levels_) stack.base(static_cast<int>(lane_id())) = load_fresh(bases + lane_id());
    sync_warp();
    if (lane_id() == 0) store_fresh(args_.mail_states + self_, 0u);
    return true;
  }

  // The whole stack, for this warp itself in the next launch. Its arena stays as it is.
  SUBISO_DEVICE void save(Stack& stack, const Frontier& frontier, const Range& range, int depth) const {
    if (depth < 0 && range.at == range.end) return;
    for (int p = 0; p <= depth; ++p) write(self_, p, stack, p < depth ? stack.frontier(p) : frontier);
    write_sets(self_, stack);
    post(self_, depth, stack.top, range);
  }

  // Looks whether to leave, and whether somebody is idle: gives then, if there is enough.
  SUBISO_DEVICE Signal look(Stack& stack, Frontier& frontier, int depth) const {
    const u32 stop = load_fresh(&args_.control->stop) | load_fresh(&args_.control->full);
    const bool wanted = anybody_waits(args_);
    if (ballot(stop != 0) != 0) return Signal::kLeave;
    if (!Config::kShare || depth > Config::kDetect || !wanted) return Signal::kGoOn;
    constexpr u32 kGifts = Config::kWatchful ? 4 : 1;  // where tasks take long, many wait: work spreads the faster
    for (u32 gifts = 0; gifts < kGifts && give(stack, frontier, depth); ++gifts) {
    }
    return Signal::kWanted;
  }

  // Signs up as idle and waits. True: mail is there. False: nothing is left to do, or the launch ends.
  SUBISO_DEVICE bool wait() const {
    u32 mail = 0;
    bool on_behalf = false;
    if (lane_id() == 0) on_behalf = sign_up();
    for (u64 turn = 0;; ++turn) {
      u32 state = 0;  // 1 mail, 2 leave
      if (lane_id() == 0) state = look_around(on_behalf, turn);
      state = shuffle(state, 0);
      if (state == 1) mail = 1;
      if (state != 0) break;
      backoff();
    }
    return mail != 0;
  }

 private:
  SUBISO_DEVICE Mail* mail_of(u32 warp) const { return reinterpret_cast<Mail*>(args_.mails + warp * args_.mail_bytes); }
  SUBISO_DEVICE BlockControl* own_block() const { return args_.blocks + block_id(); }

  SUBISO_DEVICE void write(u32 to, int p, const Stack& stack, const Frontier& f) const {
    StackLevel& level = mail_of(to)->levels()[p];
    const u32 lane = lane_id();
    level.vertex[lane] = stack.vertex(p, lane);
    level.parent[lane] = static_cast<u8>(stack.parent(p, lane));
    level.next[lane] = f.next;
    level.left[lane] = f.left;
    level.origin[lane] = static_cast<u8>(f.origin);
  }
  SUBISO_DEVICE Span* spans_of(Mail* mail) const { return reinterpret_cast<Span*>(mail->levels() + num_levels_); }
  SUBISO_DEVICE void write_sets(u32 to, Stack& stack) const {
    Span* spans = spans_of(mail_of(to));
    for (u32 s = 0; s < num_sets_; ++s) spans[s * kWarp + lane_id()] = stack.span(s);
    u32* bases = reinterpret_cast<u32*>(spans + num_sets_ * kWarp);
    if (num_sets_ != 0 && lane_id() < num_levels_) bases[lane_id()] = stack.base(static_cast<int>(lane_id()));
  }
  // The sets themselves, up to `top`, and a pointer into them that moves along.
  SUBISO_DEVICE const u32* move_sets(u32 to, const Stack& stack, u32 top, const u32* next) const {
    u32* theirs = sets_.arenas + to * sets_.words;
    const u32* ours = stack.arena();
    for (u32 i = lane_id(); i < top; i += kWarp) theirs[i] = ours[i];
    return next >= ours && next < ours + sets_.words ? theirs + (next - ours) : next;
  }
  SUBISO_DEVICE void post(u32 to, int depth, u32 top, const Range& range) const {
    if (lane_id() == 0) {
      mail_of(to)->depth = depth;
      mail_of(to)->top = top;
      mail_of(to)->range = range;
    }
    fence_device();
    sync_warp();
    if (lane_id() == 0) store_fresh(args_.mail_states + to, 1u);
  }

  // How many of `left` tasks an entry gives away. Odd entries round up, so that single tasks part too.
  SUBISO_DEVICE static u32 half(u32 left) { return left / 2 + (left & lane_id() & 1); }

  // At the current level: enough is given, and something is kept.
  SUBISO_DEVICE static bool worthwhile(u32 left, u32 given) {
    const u32 sum = reduce_add(least(given, 1024u));
    return ballot(left != given) != 0 && sum >= Config::kLeast;
  }

  // Half of the shallowest open level to somebody who waits. False: there is nothing to give, or nobody.
  SUBISO_DEVICE bool give(Stack& stack, Frontier& frontier, int depth) const {
    int open = 0;
    u32 given = 0;
    for (;; ++open) {
      if (open > depth || open > Config::kStop) return false;
      given = half(open < depth ? stack.left(open) : frontier.left);
      if (open < depth ? ballot(given != 0) != 0 : worthwhile(frontier.left, given)) break;
    }
    u32 to = kFull;
    if (lane_id() == 0) to = claim();
    to = shuffle(to, 0);
    if (to == kFull) return false;
    const u32 top = num_sets_ != 0 && open < depth ? stack.base(open + 1) : stack.top;
    for (int p = 0; p <= open; ++p) {
      Frontier gift{nullptr, 0, 0};
      if (p == open) {
        gift = p < depth ? stack.frontier(p) : frontier;
        gift.next += gift.left - given;
        gift.left = given;
        if (num_sets_ != 0) gift.next = move_sets(to, stack, top, gift.next);
      }
      write(to, p, stack, gift);
    }
    write_sets(to, stack);
    post(to, open, top, {0, 0});
    if (open < depth)
      stack.set_left(open, stack.left(open) - given);
    else
      frontier.left -= given;
    if (Config::kMeasure && lane_id() == 0) atomic_add(&args_.control->gifts, u64{1});
    return true;
  }

  // Takes somebody off the idle sets and counts him busy; kFull = all were gone.
  SUBISO_DEVICE u32 claim() const {
    const u32 idle = load_fresh(&own_block()->idle);
    if (idle != 0) {
      const u32 bit = idle & (0u - idle);
      if (atomic_and(&own_block()->idle, ~bit) & bit) {
        atomic_add(&own_block()->busy, 1u);
        return block_id() * warps_per_block() + lowest_bit(bit);
      }
      return kFull;
    }
    const u32 words = (num_blocks() + 31) / 32;
    for (u32 i = 0; i < words; ++i) {
      const u32 word = (block_id() / 32 + i) % words;
      const u32 bits = load_fresh(args_.idle_blocks + word);
      if (bits == 0) continue;
      const u32 bit = bits & (0u - bits);
      if (!(atomic_and(args_.idle_blocks + word, ~bit) & bit)) return kFull;
      const u32 block = word * 32 + lowest_bit(bit);
      atomic_add(&args_.control->idle_blocks, 0u - 1u);
      atomic_add(&args_.control->busy_blocks, 1u);
      atomic_add(&args_.blocks[block].busy, 1u);
      fence_device();
      return block * warps_per_block() + load_fresh(&args_.blocks[block].registrar);
    }
    return kFull;
  }

  // Lane 0. True when the whole block is idle now and this warp waits for it.
  SUBISO_DEVICE bool sign_up() const {
    fence_device();  // the mailbox was seen empty before anybody may fill it again
    if (atomic_add(&own_block()->busy, 0u - 1u) != 1) {
      atomic_or(&own_block()->idle, 1u << warp_);
      return false;
    }
    store_fresh(&own_block()->registrar, warp_);
    fence_device();
    atomic_add(&args_.control->busy_blocks, 0u - 1u);
    if (Config::kShare) {
      atomic_add(&args_.control->idle_blocks, 1u);
      atomic_or(args_.idle_blocks + block_id() / 32, 1u << block_id() % 32);
    }
    return true;
  }

  // Lane 0, in vain so far: 1 = mail, 2 = leave, 0 = wait on.
  SUBISO_DEVICE u32 look_around(bool on_behalf, u64 turn) const {
    if (load_fresh(args_.mail_states + self_) != 0) return 1;
    const bool stop = load_fresh(&args_.control->stop) != 0, full = load_fresh(&args_.control->full) != 0;
    if (stop) return 2;
    if (full) return strike(on_behalf) ? 2 : 0;
    if (!on_behalf) return load_fresh(&own_block()->done) != 0 ? 2 : 0;
    if (load_fresh(&args_.control->busy_blocks) != 0) return 0;
    // Nobody who has started is busy. Others may bring work of their own, which is worth a short wait.
    if (load_fresh(&args_.control->started_blocks) < num_blocks() && turn < args_.grace) return 0;
    store_fresh(&own_block()->done, 1u);
    return 2;
  }

  // Takes oneself off the idle set. False: somebody else was faster, so mail is on its way.
  SUBISO_DEVICE bool strike(bool on_behalf) const {
    if (!on_behalf) return atomic_and(&own_block()->idle, ~(1u << warp_)) >> warp_ & 1;
    const u32 bit = 1u << block_id() % 32;
    if (!Config::kShare) return true;
    return (atomic_and(args_.idle_blocks + block_id() / 32, ~bit) & bit) != 0;
  }

  const ShareArgs& args_;
  const SetArgs& sets_;
  const u32 num_levels_, num_sets_;
  const u32 warp_;
  const u32 self_;
};

}  // namespace subiso
