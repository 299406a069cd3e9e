// Local counts: which vertices and edges get a share of every match that was counted, and where the shares are summed
// (plan/tally.py says why; engine/cuda/tally.py fills the tables). Sums are 64 bits wide and may wrap: the host
// trusts them only where the total says that none can have.
#pragma once
#include "plan.cuh"
#include "stack.cuh"

namespace subiso {

inline constexpr int kMaxRoles = 256;
inline constexpr int kMaxTailShares = 64;
inline constexpr int kMaxShareTerms = 256;
inline constexpr int kMaxColumns = 64;
inline constexpr u8 kNoPosition = 255;

// A matched vertex, or the edge between two.
struct RoleShare {
  u8 later;     // the vertex's position, or that of the edge's later end
  u8 earlier;   // of an edge; kNoPosition: a vertex
  u8 relation;  // the edge stands in the earlier end's list of this relation
  u8 column;
  i32 times;
};

// Every element of a tail set, or the edge to it: a sum of terms in the sizes.
struct TailShare {
  u8 size;
  u8 column;
  u8 from;  // the edge's other end; kNoPosition: a vertex
  u8 relation;
  u16 first_term, end_term;
};

struct TallyTables {
  u32 num_roles;
  u32 early;  // roles of positions before the last one stand first
  u32 num_tails;
  u32 unused;
  u64* columns[kMaxColumns];  // by vertex, or by list entry
  u32 sure[kMaxSizes];        // positions, as bits, whose vertices are in the set and get nothing
  RoleShare roles[kMaxRoles];
  TailShare tails[kMaxTailShares];
  Term terms[kMaxShareTerms];
};

template <class Store>
class Tally {
 public:
  SUBISO_DEVICE Tally(const TallyTables* tables, const Store& store, const Stack& stack, int last)
      : tables_(tables), store_(store), stack_(stack), last_(last) {}

  // The matches of entry `entry` of the last but one position, together, to what was matched up to there.
  SUBISO_DEVICE void give_early(u32 entry, u64 weight) const {
    for (u32 r = 0; r < tables_->early; ++r) {
      const RoleShare role = tables_->roles[r];
      give(role, vertex(role.later, entry), entry, weight);
    }
  }
  // Those of the last vertex, which stands below that entry, to it and its edges.
  SUBISO_DEVICE void give_late(u32 last, u32 entry, u64 weight) const {
    for (u32 r = tables_->early; r < tables_->num_roles; ++r) give(tables_->roles[r], last, entry, weight);
  }

  SUBISO_DEVICE u32 num_tails() const { return tables_->num_tails; }
  SUBISO_DEVICE TailShare tail(u32 i) const { return tables_->tails[i]; }
  SUBISO_DEVICE u64 weight(const TailShare& share, const u32* sizes) const {
    u64 sum = 0;
    for (u32 t = share.first_term; t < share.end_term; ++t) {
      const Term term = tables_->terms[t];
      u64 product = static_cast<u64>(static_cast<i64>(term.coefficient));
      for (int i = 0; i < term.count; ++i) product *= sizes[term.factors[i]];
      sum += product;
    }
    return sum;
  }
  // To one element of a tail set, below entry `entry` of the last position.
  SUBISO_DEVICE void give_tail(const TailShare& share, u32 element, u32 entry, u64 weight) const {
    for (u32 left = tables_->sure[share.size]; left != 0; left &= left - 1)
      if (vertex_from(last_, static_cast<int>(lowest_bit(left)), entry) == element) return;
    if (share.from == kNoPosition)
      add(share.column, element, weight);
    else
      add(share.column, place(vertex_from(last_, share.from, entry), element, share.relation), weight);
  }

 private:
  SUBISO_DEVICE u32 vertex_from(int from, int position, u32 entry) const {
    for (int p = from; p > position; --p) entry = stack_.parent(p, entry);
    return stack_.vertex(position, entry);
  }
  SUBISO_DEVICE u32 vertex(int position, u32 entry) const { return vertex_from(last_ - 1, position, entry); }

  SUBISO_DEVICE void give(const RoleShare& role, u32 later, u32 entry, u64 weight) const {
    const u64 share = weight * static_cast<u64>(static_cast<i64>(role.times));
    if (role.earlier == kNoPosition)
      add(role.column, later, share);
    else
      add(role.column, place(vertex(role.earlier, entry), later, role.relation), share);
  }
  // The number of the list entry that leads from u to v.
  SUBISO_DEVICE u64 place(u32 u, u32 v, u32 relation) const {
    const List list = store_.neighbors(u, relation);
    return static_cast<u64>(list.data - store_.relations.at(relation).neighbors) + count_below(list, v);
  }
  SUBISO_DEVICE void add(u32 column, u64 at, u64 weight) const { atomic_add(tables_->columns[column] + at, weight); }

  const TallyTables* tables_;
  const Store& store_;
  const Stack& stack_;
  const int last_;
};

}  // namespace subiso
