// The settings of the C library's allocator that Swift's modules do not show.
#ifndef TILL_ALLOCATOR_H
#define TILL_ALLOCATOR_H

// Few arenas, and memory goes back to the system once it is free: a server that read one large document does not stay
// large. The thresholds are fixed, so that answers of a hundred kilobytes are not served in two ways by turns.
// glibc only. Elsewhere (macOS, musl) the call does nothing: their allocators have no arenas for each thread and no
// moving thresholds.
void till_settle_allocator(void);

#endif
