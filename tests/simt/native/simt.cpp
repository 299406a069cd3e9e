#include "simt.hpp"

#include <memory>
#include <sstream>
#include <vector>

#include "fiber.hpp"

#if defined(__x86_64__)
asm(R"(
.text
.globl subiso_simt_switch
.type subiso_simt_switch, @function
subiso_simt_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size subiso_simt_switch, .-subiso_simt_switch
)");
#endif

namespace subiso::simt {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024;
constexpr std::size_t kGuardBytes = 64;

const char* name_of(Call call) {
  switch (call) {
    case Call::kBallot: return "ballot";
    case Call::kShuffle: return "shuffle";
    case Call::kScan: return "scan_add";
    case Call::kReduce: return "reduce_add";
    case Call::kSyncWarp: return "sync_warp";
    case Call::kSyncBlock: return "sync_block";
  }
  return "?";
}

struct Place {
  Call call;
  std::uint32_t mask;
  const char* file;
  int line;
  bool operator==(const Place& o) const {
    return call == o.call && mask == o.mask && line == o.line && std::strcmp(file, o.file) == 0;
  }
};

struct Lane {
  Fiber fiber;
  std::uint32_t block, thread;
  enum { kReady, kWaiting, kDone } state = kReady;
  Place at{};
  Operand brought{};
  Operand warp[32];  // what the lanes of the last warp call brought
  std::uint64_t spins = 0;
};

class Machine {
 public:
  Machine(const Launch& how, const std::function<void()>& kernel) : how_(how), kernel_(kernel), random_(how.seed * 2 + 1) {
    if (how.threads == 0 || how.threads % 32 != 0) throw KernelError("a block has a multiple of 32 threads");
    const std::size_t num_lanes = std::size_t{how.blocks} * how.threads;
    lanes_ = std::vector<Lane>(num_lanes);
    stacks_.reset(new unsigned char[num_lanes * kStackBytes]);
    for (std::uint32_t b = 0; b < how.blocks; ++b)
      shared_.emplace_back(how.shared_bytes + kGuardBytes, kPoison);
    for (std::size_t i = 0; i < num_lanes; ++i) {
      lanes_[i].block = static_cast<std::uint32_t>(i / how.threads);
      lanes_[i].thread = static_cast<std::uint32_t>(i % how.threads);
      lanes_[i].fiber.prepare(stacks_.get() + i * kStackBytes, kStackBytes, &Machine::entry);
    }
  }

  std::uint64_t run();

  Lane& lane() { return *current_; }
  const Launch& how() const { return how_; }
  unsigned char* shared(std::uint32_t block) { return shared_[block].data(); }
  std::uint64_t turns() const { return turns_; }

  void arrive(const Place& place, const void* operand, std::size_t size);
  void arrive_block(const Place& place);
  void spin(const char* file, int line);
  void maybe_yield() {
    if ((how_.order == Order::kRandom || how_.order == Order::kUnfair) && next_random() % 4 == 0) leave();
  }
  void before_atomic() {
    if (how_.atomics != nullptr) ++*how_.atomics;
    maybe_yield();
  }
  [[noreturn]] void fail(const std::string& what) {
    error_ = what;
    for (;;) switch_fiber(current_->fiber, main_);
  }

 private:
  static void entry();
  void leave() { switch_fiber(current_->fiber, main_); }
  Lane* first_of_warp(const Lane& l) { return &lanes_[l.block * std::size_t{how_.threads} + l.thread / 32 * 32]; }
  Lane* choose();
  void check_guards();
  std::string where(const Lane& l) const;
  std::string waiting(const Lane& l) const;
  std::uint64_t next_random() {
    random_ ^= random_ << 13, random_ ^= random_ >> 7, random_ ^= random_ << 17;
    return random_;
  }

  const Launch how_;
  const std::function<void()>& kernel_;
  std::vector<Lane> lanes_;
  std::unique_ptr<unsigned char[]> stacks_;
  std::vector<std::vector<unsigned char>> shared_;
  Fiber main_;
  Lane* current_ = nullptr;
  std::size_t last_ = 0, favorite_ = 0;
  std::uint64_t turns_ = 0;
  std::uint64_t random_;
  std::string error_;
};

thread_local Machine* machine = nullptr;

void Machine::entry() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &machine->main_.stack, &machine->main_.size);
#endif
  machine->kernel_();
  machine->current_->state = Lane::kDone;
  for (;;) machine->leave();
}

std::string Machine::where(const Lane& l) const {
  std::ostringstream s;
  s << "block " << l.block << ", thread " << l.thread;
  return s.str();
}

std::string Machine::waiting(const Lane& l) const {
  std::ostringstream s;
  s << where(l);
  if (l.state == Lane::kDone) {
    s << " has left the kernel";
  } else {
    s << " is at " << name_of(l.at.call) << " (" << l.at.file << ":" << l.at.line << ", mask " << std::hex << l.at.mask << ")";
  }
  return s.str();
}

// The next lane to run: round robin forwards or backwards, any, or one of a favourite warp as long as that can go on.
Lane* Machine::choose() {
  const std::size_t n = lanes_.size();
  if (how_.order == Order::kRandom) last_ = next_random() % n;
  if (how_.order == Order::kUnfair) {
    if (next_random() % 8192 == 0) favorite_ = next_random() % (n / 32);
    const std::size_t first = next_random() % 32;
    for (std::size_t i = 0; i < 32; ++i) {
      Lane& lane = lanes_[favorite_ * 32 + (first + i) % 32];
      if (lane.state == Lane::kReady) return &lane;
    }
    last_ = next_random() % n;
  }
  for (std::size_t i = 0; i < n; ++i) {
    last_ = how_.order == Order::kReverse ? (last_ + n - 1) % n : (last_ + 1) % n;
    if (lanes_[last_].state == Lane::kReady) return &lanes_[last_];
  }
  return nullptr;
}

std::uint64_t Machine::run() {
  last_ = how_.order == Order::kReverse ? 0 : lanes_.size() - 1;
  while ((current_ = choose()) != nullptr) {
    if (how_.poke != nullptr && turns_ == how_.poke_after) *how_.poke = 1;
    ++turns_;
    switch_fiber(main_, current_->fiber);
    if (!error_.empty()) throw KernelError(error_);
  }
  for (const Lane& l : lanes_)
    if (l.state == Lane::kWaiting) throw KernelError("nobody can go on: " + waiting(l));
  check_guards();
  return turns_;
}

void Machine::check_guards() {
  for (std::size_t b = 0; b < shared_.size(); ++b)
    for (std::size_t i = how_.shared_bytes; i < shared_[b].size(); ++i)
      if (shared_[b][i] != kPoison)
        throw KernelError("block " + std::to_string(b) + " wrote past the end of its shared memory");
}

void Machine::arrive(const Place& place, const void* operand, std::size_t size) {
  Lane& me = lane();
  Lane* warp = first_of_warp(me);
  const std::uint32_t mine = me.thread % 32;
  me.at = place;
  me.state = Lane::kWaiting;
  if (size != 0) std::memcpy(me.brought.bytes, operand, size);
  if (!(place.mask >> mine & 1)) fail(waiting(me) + ", but its own lane is not in the mask");
  bool complete = true;
  for (std::uint32_t i = 0; i < 32; ++i) {
    const Lane& other = warp[i];
    const bool named = place.mask >> i & 1;
    if (named && other.state == Lane::kDone) fail(waiting(me) + ", but " + waiting(other));
    if (other.state == Lane::kWaiting && (named || other.at.mask >> mine & 1) && !(other.at == place))
      fail(waiting(me) + ", but " + waiting(other));
    if (named && other.state != Lane::kWaiting) complete = false;
  }
  if (complete) {
    Operand all[32];
    std::memset(all, kPoison, sizeof all);
    for (std::uint32_t i = 0; i < 32; ++i)
      if (place.mask >> i & 1) all[i] = warp[i].brought;
    for (std::uint32_t i = 0; i < 32; ++i) {
      if (!(place.mask >> i & 1)) continue;
      std::memcpy(warp[i].warp, all, sizeof all);
      warp[i].state = Lane::kReady;
    }
  }
  leave();
}

void Machine::arrive_block(const Place& place) {
  Lane& me = lane();
  me.at = place;
  me.state = Lane::kWaiting;
  Lane* block = &lanes_[me.block * std::size_t{how_.threads}];
  bool complete = true;
  for (std::uint32_t i = 0; i < how_.threads; ++i) {
    if (block[i].state == Lane::kDone) fail(waiting(me) + ", but " + waiting(block[i]));
    if (block[i].state == Lane::kWaiting && block[i].at.call == Call::kSyncBlock && !(block[i].at == place))
      fail(waiting(me) + ", but " + waiting(block[i]));
    if (block[i].state != Lane::kWaiting || block[i].at.call != Call::kSyncBlock) complete = false;
  }
  if (complete)
    for (std::uint32_t i = 0; i < how_.threads; ++i) block[i].state = Lane::kReady;
  leave();
}

void Machine::spin(const char* file, int line) {
  if (++lane().spins > how_.max_spins) {
    std::ostringstream s;
    s << where(lane()) << " still waits after " << how_.max_spins << " turns (" << file << ":" << line << "): livelock";
    fail(s.str());
  }
  favorite_ = next_random() % (lanes_.size() / 32);  // somebody else has to go on
  leave();
}

}  // namespace

std::uint64_t launch(const Launch& how, const std::function<void()>& kernel) {
  Machine m(how, kernel);
  Machine* outer = machine;
  machine = &m;
  try {
    const std::uint64_t turns = m.run();
    machine = outer;
    return turns;
  } catch (...) {
    machine = outer;
    throw;
  }
}

std::uint32_t thread_in_block() { return machine->lane().thread; }
std::uint32_t threads_per_block() { return machine->how().threads; }
std::uint32_t block() { return machine->lane().block; }
std::uint32_t blocks() { return machine->how().blocks; }
unsigned char* shared_memory() { return machine->shared(machine->lane().block); }
std::uint64_t clock_now() { return machine->turns(); }

void arrive(Call call, std::uint32_t mask, const void* operand, std::size_t size, const char* file, int line) {
  machine->arrive({call, mask, file, line}, operand, size);
}
const Operand& gathered(std::uint32_t lane) { return machine->lane().warp[lane]; }
void sync_block(const char* file, int line) { machine->arrive_block({Call::kSyncBlock, 0, file, line}); }
void backoff(const char* file, int line) { machine->spin(file, line); }
void maybe_yield() { machine->maybe_yield(); }
void before_atomic() { machine->before_atomic(); }

}  // namespace subiso::simt
