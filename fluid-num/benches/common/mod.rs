//! What all benches share: the machine's copy bandwidth, and a line of figures for each case.

use core::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, Throughput};

/// The shortest of several runs, s.
pub(crate) fn best(runs: usize, mut f: impl FnMut()) -> f64 {
    (0..runs)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

/// Bytes a second that a copy of 32 MiB reads and writes, on this thread.
pub(crate) fn copy_bandwidth() -> f64 {
    let from = vec![1.0_f32; 8 << 20];
    let mut to = vec![0.0_f32; 8 << 20];
    let time = best(9, || {
        to.copy_from_slice(black_box(&from));
        black_box(&mut to);
    });
    2.0 * 4.0 * from.len() as f64 / time
}

/// One case: how many cells one call goes over, how many bytes of fields it must move at least,
/// and on how many threads (more than one only with the feature `parallel`).
pub(crate) struct Case<'a> {
    pub(crate) name: &'a str,
    pub(crate) cells: usize,
    pub(crate) bytes_per_cell: usize,
    pub(crate) threads: usize,
}

impl Case<'_> {
    /// Prints the best of several runs beside the copy bandwidth of the same moment, then hands
    /// the case to criterion.
    pub(crate) fn run(&self, c: &mut Criterion, mut f: impl FnMut() + Send) {
        if self.threads > 1 && !cfg!(feature = "parallel") {
            return;
        }
        let mut f = on_threads(self.threads, &mut f);
        f();
        let copy = copy_bandwidth();
        let time = best(9, &mut f);
        let rate = self.cells as f64 / time;
        let name = format!("{}, {} thread(s)", self.name, self.threads);
        println!(
            "{name:<64} {:>9.3} ms {:>9.1} M cells/s {:>6.1} GB/s = {:>4.0} % of copy ({:.1} GB/s)",
            time * 1e3,
            rate / 1e6,
            rate * self.bytes_per_cell as f64 / 1e9,
            rate * self.bytes_per_cell as f64 / copy * 100.0,
            copy / 1e9,
        );
        let mut group = c.benchmark_group("fluid-num");
        group.sample_size(10).throughput(Throughput::Elements(self.cells as u64));
        group.bench_function(&name, |b| b.iter(&mut f));
        group.finish();
    }
}

/// `f` on a pool of `threads` threads.
#[cfg(feature = "parallel")]
fn on_threads(threads: usize, f: &mut (impl FnMut() + Send)) -> impl FnMut() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok();
    move || match &pool {
        Some(pool) => pool.install(&mut *f),
        None => f(),
    }
}

/// `f` as it is.
#[cfg(not(feature = "parallel"))]
fn on_threads(_: usize, f: &mut (impl FnMut() + Send)) -> impl FnMut() {
    move || f()
}
