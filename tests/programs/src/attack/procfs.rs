//! What Linux says of processes.

use std::{collections::HashMap, fs};

/// The memory of a process, in bytes: what it has, and the most that it had since [`forget_peak`].
pub(crate) fn memory(process: u32) -> Option<(u64, u64)> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
    };
    Some((field("VmRSS:")?, field("VmHWM:")?))
}

/// Begins a new measurement of the peak.
pub(crate) fn forget_peak(process: u32) {
    // Where the kernel does not offer it, the peak since the start is measured, which is no less.
    let _unsupported = fs::write(format!("/proc/{process}/clear_refs"), "5");
}

/// All descendants of a process that still run.
pub(crate) fn descendants(process: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    for id in all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()) {
        if let Some(parent) = parent(id) {
            children.entry(parent).or_default().push(id);
        }
    }
    let mut found = Vec::new();
    let mut open = vec![process];
    while let Some(id) = open.pop() {
        let own = children.remove(&id).unwrap_or_default();
        open.extend(&own);
        found.extend(own);
    }
    found
}

fn parent(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may hold anything.
    let mut fields = stat.rsplit(')').next()?.split_whitespace();
    let state = fields.next()?;
    (state != "Z").then_some(())?;
    fields.next()?.parse().ok()
}
