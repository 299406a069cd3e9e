// Edge-isomorphism: do distinct data edges exist for the pattern edges matched so far? Only pattern edges that fell on
// the same pair of vertices compete, so a small bipartite matching per pair decides. Run-time tables only.
#pragma once
#include "checks.cuh"

namespace subiso {

// Pattern edges on one pair of vertices, and the data edge that each has taken. A plan is whatever knows its edges.
template <class Plan>
class Competition {
 public:
  SUBISO_DEVICE Competition(const Plan& plan, const Entities* entities, const u32* match)
      : plan_(plan), entities_(entities), match_(match) {}

  // Can all pattern edges among the first `end` that lie on the pair of edge `fresh` have data edges of their own?
  SUBISO_DEVICE bool possible(int fresh, int end) {
    const EdgeTable f = plan_.edge(fresh);
    const u32 u = match_[f.source], v = match_[f.target];
    size_ = 0;
    for (int e = 0; e < end; ++e) {
      const EdgeTable edge = plan_.edge(e);
      const u32 s = match_[edge.source], t = match_[edge.target];
      if ((s == u && t == v) || (s == v && t == u)) members_[size_++] = static_cast<u8>(e);
    }
    for (int member = 0; member < size_; ++member)
      if (!augment(member)) return false;
    return true;
  }

 private:
  struct Choices {
    const u32* ids;
    int size;
  };

  // The data edges that fit a member. As many as there are competitors suffice: it is then never short of one.
  SUBISO_DEVICE Choices choices(int member) const {
    const EdgeTable edge = plan_.edge(members_[member]);
    const Entities csr = entities_[edge.relation];
    const u32 u = match_[edge.source], v = match_[edge.target];
    const List list{csr.neighbors + csr.offsets[u], static_cast<u32>(csr.offsets[u + 1] - csr.offsets[u])};
    const u32 begin = count_below(list, v);
    const u32 end = v == kFull ? list.size : count_below(list, v + 1);
    return {csr.edge_ids + csr.offsets[u] + begin, static_cast<int>(least(end - begin, static_cast<u32>(size_)))};
  }
  SUBISO_DEVICE int holder(u32 id, int until) const {
    for (int m = 0; m < until; ++m)
      if (taken_[m] == id) return m;
    return -1;
  }

  // Gives `root` a data edge, moving earlier members where that helps (breadth first over who would have to move).
  SUBISO_DEVICE bool augment(int root) {
    u64 seen = u64{1} << root;
    int head = 0, tail = 0;
    queue_[tail++] = static_cast<u8>(root);
    while (head < tail) {
      const int member = queue_[head++];
      const Choices c = choices(member);
      for (int i = 0; i < c.size; ++i) {
        const int other = holder(c.ids[i], root);
        if (other < 0) {
          settle(root, member, c.ids[i]);
          return true;
        }
        if (seen >> other & 1) continue;
        seen |= u64{1} << other;
        came_from_[other] = static_cast<u8>(member);
        queue_[tail++] = static_cast<u8>(other);
      }
    }
    return false;
  }
  SUBISO_DEVICE void settle(int root, int member, u32 id) {
    while (true) {
      const u32 given_up = taken_[member];
      taken_[member] = id;
      if (member == root) return;
      id = given_up;
      member = came_from_[member];
    }
  }

  const Plan& plan_;
  const Entities* entities_;
  const u32* match_;
  int size_ = 0;
  u8 members_[kMaxEdges];
  u32 taken_[kMaxEdges];
  u8 came_from_[kMaxEdges];
  u8 queue_[kMaxEdges];
};

// x was found to fit `level`, below `entry` of the level before: can every pattern edge up to it have a data edge?
template <class Partial>
SUBISO_DEVICE bool edges_possible(const TablePlan& plan, const Entities* entities, const Partial& stack, int level, u32 x,
                                  u32 entry) {
  const int begin = level == 0 ? 0 : plan.level(level - 1).edges, end = plan.level(level).edges;
  if (begin == end) return true;
  u32 match[kMaxPositions];
  match[level] = x;
  for (int p = level - 1; p >= 0; --p) {
    match[p] = stack.vertex(p, entry);
    entry = stack.parent(p, entry);
  }
  Competition competition(plan, entities, match);
  for (int fresh = begin; fresh < end; ++fresh)
    if (!competition.possible(fresh, end)) return false;
  return true;
}

}  // namespace subiso
