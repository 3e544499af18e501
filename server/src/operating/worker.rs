//! A thread that works off a queue, so that nothing that serves clients waits for a disk or a receiver.

use std::{
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    thread,
    time::Duration,
};

use parking_lot::Mutex;

use crate::failure::Failure;

/// The way to the thread.
#[derive(Debug)]
pub(super) struct Worker<T> {
    /// Until the end.
    queue: Mutex<Option<SyncSender<T>>>,
    /// Disconnected by the thread's end.
    ended: Mutex<Receiver<()>>,
}

impl<T: Send + 'static> Worker<T> {
    /// Starts the thread, which ends when the queue is closed. The queue holds at most this many tasks.
    ///
    /// # Errors
    /// If the system has no more threads.
    pub(super) fn start(
        name: &str,
        most: usize,
        run: impl FnOnce(&Receiver<T>) + Send + 'static,
    ) -> Result<Self, Failure> {
        let ((queue, tasks), (running, ended)) = (sync_channel(most), sync_channel(0));
        let run = move || {
            let _running = running;
            run(&tasks);
        };
        let thread = thread::Builder::new().name(name.to_owned()).spawn(run);
        thread.map_err(|source| Failure::Io { what: "cannot start a thread", source })?;
        Ok(Self { queue: Mutex::new(Some(queue)), ended: Mutex::new(ended) })
    }

    /// Queues a task, without waiting. Returns whether there was room.
    pub(super) fn send(&self, task: T) -> bool {
        self.queue.lock().as_ref().is_some_and(|queue| queue.try_send(task).is_ok())
    }

    /// Closes the queue and waits, at most this long, until all tasks are done. Returns whether they are.
    pub(super) fn finish(&self, patience: Duration) -> bool {
        drop(self.queue.lock().take());
        self.ended.lock().recv_timeout(patience) != Err(RecvTimeoutError::Timeout)
    }
}
