// Switching between stacks: a few instructions by hand on x86-64, ucontext elsewhere. Tells AddressSanitizer, if on.
#pragma once
#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace subiso::simt {

#if defined(__x86_64__)
extern "C" void subiso_simt_switch(void** from, void* to);

struct Fiber {
  void* stack_pointer = nullptr;
  const void* stack = nullptr;
  std::size_t size = 0;

  // Prepares a stack on which `entry` starts at the first switch; it must never return.
  void prepare(unsigned char* base, std::size_t bytes, void (*entry)()) {
    stack = base;
    size = bytes;
    auto* top = reinterpret_cast<std::uintptr_t*>((reinterpret_cast<std::uintptr_t>(base) + bytes) & ~std::uintptr_t{15});
    *--top = 0;  // a return address, which also leaves the alignment that a call would
    *--top = reinterpret_cast<std::uintptr_t>(entry);
    for (int callee_saved = 0; callee_saved < 6; ++callee_saved) *--top = 0;
    stack_pointer = top;
  }
  static void jump(Fiber& from, Fiber& to) { subiso_simt_switch(&from.stack_pointer, to.stack_pointer); }
};
#else
struct Fiber {
  ucontext_t context;
  const void* stack = nullptr;
  std::size_t size = 0;

  void prepare(unsigned char* base, std::size_t bytes, void (*entry)()) {
    stack = base;
    size = bytes;
    getcontext(&context);
    context.uc_stack.ss_sp = base;
    context.uc_stack.ss_size = bytes;
    context.uc_link = nullptr;
    makecontext(&context, entry, 0);
  }
  static void jump(Fiber& from, Fiber& to) { swapcontext(&from.context, &to.context); }
};
#endif

// Leaves `from` for `to`; returns when somebody switches back.
inline void switch_fiber(Fiber& from, Fiber& to) {
#if defined(__SANITIZE_ADDRESS__)
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, to.stack, to.size);
  Fiber::jump(from, to);
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#else
  Fiber::jump(from, to);
#endif
}

}  // namespace subiso::simt
