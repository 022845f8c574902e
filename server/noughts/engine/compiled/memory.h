/* What every program needs that is written here: names of integers, the question to the host, and memory. */

#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t i64;

#define EXPORT(name) __attribute__((export_name(#name)))
#define PAGE 65536

/* Returns whether the search must stop: the caller reads its clock. */
__attribute__((import_module("host"), import_name("stop"))) int host_stop(void);

/* The end of the memory in use. */
extern unsigned char __heap_base;
static u64 memory_end;

/* Takes memory that is never given back. Returns 0 if there is none. */
static void *take(u64 bytes) {
    if (!memory_end) memory_end = (u64)(uintptr_t)&__heap_base;
    u64 start = (memory_end + 63) & ~63ULL;
    u64 pages = (start + bytes + PAGE - 1) / PAGE, present = __builtin_wasm_memory_size(0);
    if (pages > present && __builtin_wasm_memory_grow(0, pages - present) == (__SIZE_TYPE__)-1) return 0;
    memory_end = start + bytes;
    return (void *)(uintptr_t)start;
}
