// What Swift's modules do not show of the memory of a process: the C library's allocator, and the pages of the code.
#ifndef TILL_ALLOCATOR_H
#define TILL_ALLOCATOR_H

// Few arenas, and memory goes back to the system once it is free: a server that read one large document does not stay
// large. The thresholds are fixed, so that answers of a hundred kilobytes are not served in two ways by turns.
// glibc only. Elsewhere (macOS, musl) the call does nothing: their allocators have no arenas for each thread and no
// moving thresholds.
void till_settle_allocator(void);

// Gives the pages of the program's code back to the system, which maps those again that are still used: most of the
// code runs only while a server starts. 54 MB of a server at rest become 23 MB. Linux only.
void till_give_back_code(void);

#endif
