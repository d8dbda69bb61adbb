#define _GNU_SOURCE
#include "CAllocator.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

void till_settle_allocator(void) {
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_MMAP_THRESHOLD, 1024 * 1024);
    mallopt(M_TRIM_THRESHOLD, 4 * 1024 * 1024);
}
#else
void till_settle_allocator(void) {}
#endif

#ifdef __linux__
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

// The first object is the program itself.
static int give_back(struct dl_phdr_info *program, size_t size, void *unused) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < program->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &program->dlpi_phdr[i];
        // A segment that cannot be written has the bytes of the file, so nothing is lost.
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W)) continue;
        const uintptr_t start = (program->dlpi_addr + segment->p_vaddr + page - 1) & ~(page - 1);
        const uintptr_t end = (program->dlpi_addr + segment->p_vaddr + segment->p_memsz) & ~(page - 1);
        if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 1;
}

void till_give_back_code(void) { dl_iterate_phdr(give_back, NULL); }
#else
void till_give_back_code(void) {}
#endif
