#include "candidates/count.hpp"

#include <pthread.h>

#include <chrono>
#include <numeric>
#include <optional>

#include "candidates/eliminate.hpp"
#include "candidates/partitions.hpp"
#include "candidates/search.hpp"

namespace subiso {
namespace {

constexpr int kPlaces = 2;  // for such threads in a process: many would take memory and cores
std::atomic<int> places_taken{0};

std::optional<Count> search(const CandidateGraph& graph, const CsrStore& store, const CountQuestion& question,
                            std::uint64_t steps, const Stop& stop) {
  const SearchOptions options{question.injective, question.failing_sets, steps, 0, {}, &stop};
  const SearchResult result = CandidateSearch(graph, store, question.apart, options).run();
  if (!result.complete || result.overflow) return std::nullopt;
  return result.total;
}

// The ways in which vertices may coincide; none where there are too many, or something must be absent.
Partitions ways_to_coincide(const CountQuestion& question, int vertices) {
  if (!question.apart.empty()) return {{}, {}, false};
  if (question.injective) return partitions_of(question.overlaps, question.most_partitions);
  std::vector<int> alone(static_cast<std::size_t>(vertices));
  std::iota(alone.begin(), alone.end(), 0);
  return {{alone}, {1}, true};
}

// What it takes is known well once it was done for the first way to coincide.
std::optional<Count> eliminate_ways(const CandidateGraph& graph, Partitions ways, const CountQuestion& question,
                                    const Stop& stop) {
  const std::size_t sums = ways.block_of.size();
  const Limits first{std::min(question.first_rows, question.most_rows / sums), &stop};
  const Eliminated one = eliminate(graph, ways.block_of.front(), first);
  if (one.status != Elimination::kDone) return std::nullopt;
  if ((one.steps + graph.num_pairs() + 1) * sums > question.most_rows) return std::nullopt;
  const Count share = one.total * ways.coefficients.front();  // the coefficient of all alone is 1
  ways.block_of.erase(ways.block_of.begin());
  ways.coefficients.erase(ways.coefficients.begin());
  const Eliminated rest =
      eliminate_all(graph, ways.block_of, ways.coefficients, {question.most_rows, &stop}, question.threads);
  Count total = 0;
  if (rest.status != Elimination::kDone || __builtin_add_overflow(share, rest.total, &total)) return std::nullopt;
  return total;
}

}  // namespace

bool CountThread::take_place() {
  // A forked process has none of these threads.
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] { places_taken.store(0); });
  if (places_taken.fetch_add(1) < kPlaces) return true;
  leave_place();
  return false;
}

void CountThread::leave_place() { places_taken.fetch_sub(1); }

CountThread::~CountThread() {
  if (!thread_.joinable()) return;
  if (process_ == getpid())
    thread_.join();
  else
    thread_.detach();  // a forked process has the handle, and nobody to wait for
}

Counted CountThread::run(CandidateGraph& graph, const CsrStore& store, const CountQuestion& question, const Stop& stop) {
  if (const auto total = search(graph, store, question, question.first_steps, stop)) return {true, *total};
  reach(kFurther);
  const Partitions ways = ways_to_coincide(question, graph.num_vertices());
  if (question.twins && question.apart.empty()) {
    CandidateGraph merged = merge_twins(graph, &stop);
    if (!still_wanted(&stop)) return {};
    graph = std::move(merged);
  }
  if (ways.all && still_wanted(&stop))
    if (const auto total = eliminate_ways(graph, ways, question, stop)) return {true, *total};
  if (!still_wanted(&stop)) return {};
  if (const auto total = search(graph, store, question, question.long_steps, stop)) return {true, *total};
  return {};
}

void CountThread::reach(Stage stage) {
  {
    std::lock_guard lock(mutex_);
    stage_.store(stage, std::memory_order_release);
  }
  changed_.notify_all();
}

void CountThread::wait_for_first_steps(double seconds) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return stage_ != kFirstSteps; });
}

}  // namespace subiso
