//! Work on long messages, beside the workers that serve other clients.

use tokio::{
    runtime::{Handle, RuntimeFlavor},
    task::block_in_place,
};

/// Messages of up to this length take a worker too little time to be noticed, in bytes.
pub const LONG: usize = 256 * 1024;

/// Does something that takes as long as these bytes do to be read. If they are many, the worker's other tasks move to another thread
/// meanwhile, where the runtime has several.
pub async fn beside<T>(bytes: usize, work: impl Future<Output = T>) -> T {
    if bytes <= LONG {
        return work.await;
    }
    let runtime = Handle::current();
    match runtime.runtime_flavor() {
        RuntimeFlavor::MultiThread => block_in_place(|| runtime.block_on(work)),
        _ => work.await,
    }
}

/// The same for work that waits for nothing.
pub fn aside<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let has_several = |runtime: Handle| runtime.runtime_flavor() == RuntimeFlavor::MultiThread;
    if bytes > LONG && Handle::try_current().is_ok_and(has_several) { block_in_place(work) } else { work() }
}
