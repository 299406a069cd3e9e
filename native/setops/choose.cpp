// Picks the set operations for the machine at hand.
#include <stdexcept>
#include <string>
#include <string_view>

#include "setops/setops.hpp"

namespace subiso {
namespace {

bool runs(const SetOps& ops) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (&ops == &kAvx512Ops)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
  if (&ops == &kAvx2Ops) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#endif
  return &ops == &kScalarOps;
}

}  // namespace

const SetOps& choose_setops(const char* name) {
#if defined(__x86_64__)
  const SetOps* known[] = {&kAvx512Ops, &kAvx2Ops, &kScalarOps};
#else
  const SetOps* known[] = {&kScalarOps};
#endif
  for (const SetOps* ops : known)
    if ((name == nullptr || std::string_view(name) == ops->name) && runs(*ops)) return *ops;
  throw std::invalid_argument("no set operations named '" + std::string(name) + "' run on this machine");
}

}  // namespace subiso
