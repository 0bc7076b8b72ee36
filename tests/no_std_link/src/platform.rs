//! What an operating system and a C library usually bring: entry, exit, memory, panic.

use core::alloc::{GlobalAlloc, Layout};
use core::arch::{asm, global_asm};
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicUsize, Ordering};

// The `call` leaves the stack as the calling convention wants it at a function's first instruction.
global_asm!(
    ".globl _start",
    "_start:",
    "xor ebp, ebp",
    "call {entry}",
    "ud2",
    entry = sym entry,
);

// What a C library would bring and compiled code calls: (to, from or byte, count).
global_asm!(
    ".globl memset, memcpy, memmove, memcmp, bcmp",
    "memset:",
    "mov r8, rdi",
    "mov eax, esi",
    "mov rcx, rdx",
    "rep stosb",
    "mov rax, r8",
    "ret",
    "memmove:",
    "cmp rdi, rsi",
    "jbe memcpy",
    "mov rax, rdi",
    "mov rcx, rdx",
    "lea rdi, [rdi + rcx - 1]",
    "lea rsi, [rsi + rcx - 1]",
    "std",
    "rep movsb",
    "cld",
    "ret",
    "memcpy:",
    "mov rax, rdi",
    "mov rcx, rdx",
    "rep movsb",
    "ret",
    "memcmp:",
    "bcmp:",
    "mov rcx, rdx",
    "xor eax, eax",
    "repe cmpsb",
    "je 2f",
    "movzx eax, byte ptr [rdi - 1]",
    "movzx ecx, byte ptr [rsi - 1]",
    "sub eax, ecx",
    "2:",
    "ret",
);

/// Named by the precompiled `alloc`, never called: this program aborts on a panic.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

extern "C" fn entry() -> ! {
    exit(crate::run())
}

fn exit(status: i32) -> ! {
    // SAFETY: system call 60 ends the process and touches no memory.
    unsafe { asm!("syscall", in("rax") 60, in("rdi") status, options(noreturn)) }
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    exit(101)
}

/// Hands out one fixed block from its start and never takes anything back.
struct Bump {
    used: AtomicUsize,
}

const HEAP: usize = 16 << 20;
static mut MEMORY: [u8; HEAP] = [0; HEAP];

#[global_allocator]
static ALLOCATOR: Bump = Bump { used: AtomicUsize::new(0) };

// SAFETY: every call gets a block of its own inside MEMORY, which nothing else names.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let base = &raw mut MEMORY as *mut u8;
        let start = (base as usize + self.used.load(Ordering::Relaxed))
            .next_multiple_of(layout.align())
            - base as usize;
        if start.saturating_add(layout.size()) > HEAP {
            return core::ptr::null_mut();
        }
        // One thread only: a load and a store do.
        self.used.store(start + layout.size(), Ordering::Relaxed);
        unsafe { base.add(start) }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}
