// The Python extension subiso._native: one bind function per room.
#include <cstdlib>

#include "bind/bind.hpp"

NB_MODULE(_native, m) {
  // Objects that are alive when the interpreter ends are no leaks of ours: others hold them, as pytest does (the arguments of
  // parametrized tests, once hypothesis has run one). tests/native/test_leaks.py asks for the warnings, where nobody does.
  nanobind::set_leak_warnings(std::getenv("SUBISO_LEAK_WARNINGS") != nullptr);
  m.doc() = "The native core of subiso: graph building, text parsing, generators, filters and the CPU engine.";
  subiso::bind_graph(m);
  subiso::bind_formats(m);
  subiso::bind_generate(m);
  subiso::bind_engine(m);
  subiso::bind_filter(m);
  subiso::bind_candidates(m);
  subiso::bind_motifs(m);
  subiso::bind_sample(m);
  subiso::bind_storage(m);
  subiso::bind_twigs(m);
}
