//! The measured programs: they are in the same directory as this one, and are killed when dropped.

use std::{
    io::{self, BufRead, BufReader, Read},
    net::SocketAddr,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

/// Timeout for a server to print its address.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running program.
#[derive(Debug)]
pub struct Process(Child);

impl Process {
    /// Starts a program of this package that speaks over stdio.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn piped(program: &str, arguments: &[&str]) -> io::Result<(Self, ChildStdin, ChildStdout)> {
        let mut command = command(program, arguments)?;
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let streams = (child.stdin.take(), child.stdout.take());
        let process = Self(child);
        match streams {
            (Some(input), Some(output)) => Ok((process, input, output)),
            _ => Err(io::Error::other("the standard streams were not piped")),
        }
    }

    /// Starts a program of this package that serves HTTP, and waits until it prints its address: on stdout, or in its
    /// log on stderr.
    ///
    /// # Errors
    /// The error of the operating system, or that no address was printed.
    pub fn listening(program: &str, arguments: &[&str]) -> io::Result<(Self, SocketAddr)> {
        let mut command = command(program, arguments)?;
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (found, address) = mpsc::channel();
        child.stdout.take().into_iter().for_each(|output| search(output, found.clone()));
        child.stderr.take().into_iter().for_each(|errors| search(errors, found.clone()));
        drop(found);
        let process = Self(child);
        let printed = address.recv_timeout(PATIENCE);
        printed
            .map(|address| (process, address))
            .map_err(|_| io::Error::other(format!("{program} printed no address")))
    }

    /// The resident set, in kB.
    ///
    /// # Errors
    /// If there is no `/proc`.
    pub fn resident(&self) -> io::Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let figure = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        figure.ok_or_else(|| io::Error::other("no VmRSS in /proc/PID/status"))
    }

    /// The processor time used so far, in seconds; the clock ticks a hundred times a second.
    ///
    /// # Errors
    /// If there is no `/proc`.
    pub fn processor_time(&self) -> io::Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id()))?;
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
        Ok(fields.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It might have exited already.
        let _gone = self.0.kill();
        let _reaped = self.0.wait();
    }
}

/// The path of a program of this package.
///
/// # Errors
/// If the directory of this program is unknown.
pub fn beside(program: &str) -> io::Result<String> {
    let mut path = std::env::current_exe()?;
    path.set_file_name(program);
    Ok(path.to_string_lossy().into_owned())
}

fn command(program: &str, arguments: &[&str]) -> io::Result<Command> {
    let path = beside(program)?;
    if !std::path::Path::new(&path).exists() {
        let message = format!("{path} is missing: cargo build --release -p mcp-disclosure-benches --bins");
        return Err(io::Error::other(message));
    }
    let mut command = Command::new(path);
    command.args(arguments);
    Ok(command)
}

/// Reads to the end, so that the program is never blocked by a full pipe, and sends the first address. What comes after that is
/// read as cheaply as possible: the measuring process shares the processor with what it measures.
fn search(stream: impl Read + Send + 'static, found: mpsc::Sender<SocketAddr>) {
    thread::spawn(move || {
        let mut stream = BufReader::with_capacity(64 * 1024, stream);
        let mut line = String::new();
        while stream.read_line(&mut line).is_ok_and(|count| count > 0) {
            let words = line.split(|character: char| character.is_whitespace() || character == '/');
            if let Some(address) = words.filter_map(|word| word.parse().ok()).next() {
                let _already_sent = found.send(address);
                break;
            }
            line.clear();
        }
        let _ended = io::copy(&mut stream, &mut io::sink());
    });
}
