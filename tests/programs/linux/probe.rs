//! A program for the tests that tells all it can know of its own state, one line a fact. It starts as hermes-exec does, by a
//! C `main`: the Rust runtime would ignore SIGPIPE and open closed descriptors before anything could be looked at. Cargo
//! builds it as an example, beside the tests.
//!
//! `probe report FILE [ARG]...` writes the facts into FILE and prints nothing. `probe await` writes "ready", then the name of
//! every signal that arrives, until SIGTERM, with which it ends as a program that cleans up would: by status 43.

use std::ffi::{CStr, c_char, c_int};
use std::fmt::{Display, Write as _};
use std::fs;
use std::os::fd::{AsRawFd, BorrowedFd};

use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::libc;
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::stat::Mode;
use nix::unistd;

/// The C entry point.
#[unsafe(no_mangle)]
pub extern "C" fn main(_: c_int, argv: *const *const c_char) -> c_int {
    let args = strings(argv);
    match (args.get(1).copied(), args.get(2)) {
        (Some(b"report"), Some(file)) => match fs::write(String::from_utf8_lossy(file).as_ref(), report(&args)) {
            Ok(()) => 0,
            Err(_) => 111,
        },
        (Some(b"await"), _) => await_signals(),
        _ => 112,
    }
}

/// The strings of an array that ends with a null pointer.
fn strings(mut array: *const *const c_char) -> Vec<&'static [u8]> {
    let mut all = Vec::new();
    loop {
        // SAFETY: `argv` and `environ` end with a null pointer (C11 5.1.2.2.1, environ(7)), beyond which nothing is read.
        let pointer = unsafe { *array };
        if pointer.is_null() {
            return all;
        }
        // SAFETY: an element that is not null is a string that ends with NUL and lives as long as the process.
        all.push(unsafe { CStr::from_ptr(pointer) }.to_bytes());
        // SAFETY: `array` stood before the end.
        array = unsafe { array.add(1) };
    }
}

fn environment() -> Vec<&'static [u8]> {
    unsafe extern "C" {
        static environ: *const *const c_char;
    }
    // SAFETY: POSIX defines `environ`; no thread changes it.
    let array = unsafe { environ };
    if array.is_null() { Vec::new() } else { strings(array) }
}

/// Collects lines.
#[derive(Default)]
struct Report(String);

impl Report {
    fn line(&mut self, fact: impl Display, value: impl Display) {
        let _ = writeln!(self.0, "{fact}: {value}");
    }

    /// A fact that is an answer of the system, or its error.
    fn asked<T: Display>(&mut self, fact: &str, answer: nix::Result<T>) {
        match answer {
            Ok(value) => self.line(fact, value),
            Err(errno) => self.line(fact, errno),
        }
    }
}

fn report(args: &[&[u8]]) -> String {
    let mut all = Report::default();
    // First, while no descriptor of ours is open.
    descriptors(&mut all);
    relations(&mut all);
    kernel_state(&mut all);
    privileges(&mut all);
    timers_and_limits(&mut all);
    directories(&mut all);
    terminal(&mut all);
    for (at, arg) in args.iter().enumerate() {
        all.line(format_args!("argv {at}"), arg.escape_ascii());
    }
    for entry in environment() {
        all.line("env", entry.escape_ascii());
    }
    all.0
}

fn descriptors(all: &mut Report) {
    let flags = OFlag::O_DIRECTORY | OFlag::O_RDONLY | OFlag::O_CLOEXEC;
    let Ok(mut dir) = Dir::open("/proc/self/fd", flags, Mode::empty()) else {
        return all.line("descriptors", "cannot be listed");
    };
    let own = dir.as_raw_fd();
    let mut open: Vec<c_int> = dir.iter().flatten().flat_map(|e| e.file_name().to_str().ok()?.parse().ok()).collect();
    drop(dir);
    open.retain(|&fd| fd != own);
    open.sort_unstable();
    for number in open {
        // SAFETY: the descriptor was open a moment ago, this process has one thread, and nothing is closed through this.
        let fd = unsafe { BorrowedFd::borrow_raw(number) };
        let target = fs::read_link(format!("/proc/self/fd/{number}")).unwrap_or_default();
        all.line(format_args!("fd {number}"), target.as_os_str().as_encoded_bytes().escape_ascii());
        all.asked(&format!("fd {number} F_GETFD"), fcntl(fd, FcntlArg::F_GETFD));
        all.asked(&format!("fd {number} F_GETFL"), fcntl(fd, FcntlArg::F_GETFL).map(|flags| format!("{flags:o}")));
        // The offset, since nothing may have been read or written, and the locks, without the pid that stands in the line.
        let info = fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap_or_default();
        for line in info.lines().filter(|line| line.starts_with("pos:") || line.starts_with("lock:")) {
            let words = line.split_whitespace().enumerate().filter(|&(at, _)| at != 5).map(|(_, word)| word);
            all.line(format_args!("fd {number}"), words.collect::<Vec<_>>().join(" "));
        }
    }
}

fn relations(all: &mut Report) {
    all.line("pid", unistd::getpid());
    all.line("ppid", unistd::getppid());
    all.line("pgid", unistd::getpgrp());
    all.asked("sid", unistd::getsid(None));
    let children = fs::read_to_string(format!("/proc/self/task/{}/children", unistd::getpid()));
    all.line("children", children.map_or("cannot be listed".into(), |text| format!("{text:?}")));
    // SAFETY: all zero is a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the structure is ours and of the right type.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage) };
    all.line("a child was waited for", usage.ru_maxrss != 0 || usage.ru_minflt != 0);
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // proc_pid_stat(5), from field 3 on: the name of the program in field 2 can hold anything.
    let fields: Vec<_> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    for (fact, number) in
        [("tty_nr", 7), ("tpgid", 8), ("priority", 18), ("nice", 19), ("rt_priority", 40), ("scheduling policy", 41)]
    {
        all.line(fact, fields.get(number - 3).unwrap_or(&"none"));
    }
}

fn kernel_state(all: &mut Report) {
    const WANTED: &str = "Name Umask TracerPid Uid Gid Groups THP_enabled Threads SigPnd ShdPnd SigBlk SigIgn SigCgt CapInh \
        CapPrm CapEff CapBnd CapAmb NoNewPrivs Seccomp Seccomp_filters Speculation_Store_Bypass SpeculationIndirectBranch \
        Cpus_allowed Mems_allowed";
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    for line in status.lines() {
        if let Some((fact, value)) = line.split_once(':')
            && WANTED.split_whitespace().any(|wanted| wanted == fact)
        {
            all.line(fact, value.trim());
        }
    }
    for file in
        ["limits", "oom_score_adj", "coredump_filter", "personality", "cgroup", "loginuid", "sessionid", "attr/current"]
    {
        let text = fs::read(format!("/proc/self/{file}"));
        all.line(file, text.map_or("cannot be read".into(), |text| text.escape_ascii().to_string()));
    }
    for kind in ["cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts"] {
        let link = fs::read_link(format!("/proc/self/ns/{kind}")).unwrap_or_default();
        all.line(format_args!("namespace {kind}"), link.display());
    }
}

fn privileges(all: &mut Report) {
    // SAFETY: getauxval(3) only looks a number up.
    all.line("AT_SECURE", unsafe { libc::getauxval(libc::AT_SECURE) });
    // SAFETY: as above.
    let name = unsafe { libc::getauxval(libc::AT_EXECFN) } as *const c_char;
    // SAFETY: AT_EXECFN is the address of a string that the kernel put beside the arguments (getauxval(3)).
    all.line("AT_EXECFN", unsafe { CStr::from_ptr(name) }.to_bytes().escape_ascii());
    all.asked("parent death signal", prctl::get_pdeathsig().map(|signal| format!("{signal:?}")));
    all.asked("child subreaper", prctl::get_child_subreaper());
    all.asked("keepcaps", prctl::get_keepcaps());
    all.asked("dumpable", prctl::get_dumpable());
    all.asked("no_new_privs", prctl::get_no_new_privs());
    // SAFETY: this request has no argument (PR_GET_SECUREBITS(2const)).
    all.line("securebits", unsafe { libc::prctl(libc::PR_GET_SECUREBITS) });
}

fn timers_and_limits(all: &mut Report) {
    all.asked("timer slack", prctl::get_timerslack());
    // SAFETY: all zero is a valid `itimerval`.
    let mut timer: libc::itimerval = unsafe { std::mem::zeroed() };
    // SAFETY: the structure is ours and of the right type.
    unsafe { libc::getitimer(libc::ITIMER_REAL, &mut timer) };
    all.line("an alarm is set", timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0);
    // SAFETY: all zero is a valid `stack_t`.
    let mut stack: libc::stack_t = unsafe { std::mem::zeroed() };
    // SAFETY: a null first argument asks only; the second is ours.
    unsafe { libc::sigaltstack(std::ptr::null(), &mut stack) };
    all.line("alternate signal stack", stack.ss_flags & libc::SS_DISABLE == 0);
}

fn directories(all: &mut Report) {
    all.asked("getcwd", unistd::getcwd().map(|dir| dir.as_os_str().as_encoded_bytes().escape_ascii().to_string()));
    for link in ["cwd", "root", "exe"] {
        let target = fs::read_link(format!("/proc/self/{link}")).unwrap_or_default();
        all.line(link, target.as_os_str().as_encoded_bytes().escape_ascii());
    }
}

/// The settings of the terminals at descriptors 0 to 2, and of the controlling one.
fn terminal(all: &mut Report) {
    let controlling = fs::File::open("/dev/tty");
    all.line("a controlling terminal", controlling.as_ref().map_or_else(ToString::to_string, |_| "yes".into()));
    let numbers = controlling.iter().map(AsRawFd::as_raw_fd).chain(0..3);
    for number in numbers {
        // SAFETY: all zero is a valid `termios`.
        let mut settings: libc::termios = unsafe { std::mem::zeroed() };
        // SAFETY: the structure is ours and of the right type; a descriptor that is closed or no terminal is an error.
        if unsafe { libc::tcgetattr(number, &mut settings) } != 0 {
            all.line("tcgetattr", Errno::last());
            continue;
        }
        // SAFETY: all zero is a valid `winsize`.
        let mut size: libc::winsize = unsafe { std::mem::zeroed() };
        // SAFETY: the request fills a `winsize`, and gets one of ours.
        unsafe { libc::ioctl(number, libc::TIOCGWINSZ, &mut size) };
        all.line("tcgetattr", format_args!("{settings:?} {size:?}"));
    }
}

fn await_signals() -> c_int {
    let set: SigSet = [
        Signal::SIGHUP,
        Signal::SIGINT,
        Signal::SIGQUIT,
        Signal::SIGUSR1,
        Signal::SIGWINCH,
        Signal::SIGCONT,
        Signal::SIGTERM,
    ]
    .into_iter()
    .collect();
    if set.thread_block().is_err() {
        return 113;
    }
    say("ready\n");
    while let Ok(signal) = set.wait() {
        say(&format!("{signal}\n"));
        if signal == Signal::SIGTERM {
            return 43;
        }
    }
    114
}

fn say(text: &str) {
    let _ = unistd::write(std::io::stdout(), text.as_bytes());
}
