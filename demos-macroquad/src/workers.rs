//! The threads that steps run on.

use std::fmt;

/// A pool of threads; in a browser, the only one there is.
pub struct Workers {
    #[cfg(not(target_arch = "wasm32"))]
    pool: rayon::ThreadPool,
}

impl Workers {
    /// `threads` threads; 0 for one a core.
    ///
    /// # Errors
    /// A system that does not give them.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn new(threads: usize) -> anyhow::Result<Self> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Self { pool })
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        #[cfg(not(target_arch = "wasm32"))]
        return self.pool.current_num_threads();
        #[cfg(target_arch = "wasm32")]
        return 1;
    }

    /// Runs `work` on these threads.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        #[cfg(not(target_arch = "wasm32"))]
        return self.pool.install(work);
        #[cfg(target_arch = "wasm32")]
        return work();
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers").field("threads", &self.threads()).finish()
    }
}
