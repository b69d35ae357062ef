//! What a start costs in memory, and what the binary is: small, static, position-independent. `trace` counts system calls,
//! `growth` instructions; time is measured by `cargo bench` only.

use std::fs;
use std::path::Path;

use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus};
use nix::unistd::Pid;

use crate::support::BINARY;
use crate::support::scenario::{Scenario, Size};
use crate::support::start::Start;

/// The most memory that was resident so far, in KiB (proc(5)).
fn peak(pid: Pid) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

/// The peak up to the `execve` of the command, looked at from outside on the way into each system call.
fn peak_of_a_start(scenario: &Scenario) -> u64 {
    let start = Start::new(scenario.sandbox.path("work")).block(&scenario.block).step(ptrace::traceme);
    let mut child = start.spawn(Path::new(BINARY), ["hermes-exec", "-p", "builder", "--", "true"]).unwrap();
    let pid = child.pid;
    assert_eq!(child.change(WaitPidFlag::empty()), WaitStatus::Stopped(pid, Signal::SIGTRAP), "stops after its execve");
    ptrace::setoptions(pid, Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_TRACEEXEC | Options::PTRACE_O_EXITKILL)
        .unwrap();
    let mut most = 0;
    loop {
        ptrace::syscall(pid, None).unwrap();
        match child.change(WaitPidFlag::empty()) {
            WaitStatus::PtraceSyscall(_) => most = peak(pid),
            WaitStatus::PtraceEvent(..) => return most,
            status => panic!("the command was not started: {status:?}"),
        }
    }
}

#[test]
fn at_most_4_mb_are_resident_before_the_command_starts() {
    let most = peak_of_a_start(&Scenario::new(Size::default()));
    assert!((100..=4096).contains(&most), "{most} KiB");
}

/// As many lines as a file at the limit of 1 MiB holds, each with a number of its own.
fn full(line: impl Fn(usize) -> String, separator: &str) -> String {
    let mut text = String::new();
    for at in 0.. {
        let next = line(at);
        if text.len() + next.len() + separator.len() > (1 << 20) - 100 {
            return text.trim_end_matches(separator).to_owned();
        }
        text.extend([&next, separator]);
    }
    text
}

#[test]
fn w60_at_most_50_mb_for_a_file_at_its_limit() {
    let policy = |start: &str, line: fn(usize) -> String, end: &str| format!("{start}{}{end}", full(line, ","));
    let policies = [
        policy(r#"{"set": {"#, |at| format!("\"{at:x}\":\"\""), "}}"),
        policy(r#"{"keep": ["#, |at| format!("\"{at:x}\""), "]}"),
        policy(r#"{"programs": {"#, |at| format!("\"{at:x}\":{{}}"), "}}"),
    ];
    let configs = [
        // A list that is aliased, and secrets that are: both are read twice.
        format!("secrets: *b\nterminal: {{env_passthrough: *b}}\nx: [{}]", full(|_| "&a[x]".into(), ",")),
        format!("y: &b [z]\nterminal: {{env_passthrough: *b}}\nx: [{}]", full(|_| "&a [x]".into(), ",")),
        format!("y: &b {{z: z}}\nsecrets: *b\nenv:\nx: [{}]", full(|_| "&a [x]".into(), ",")),
        format!("y: &b {{z: z}}\nsecrets: *b\nenv:\nx: [{}]", full(|_| "&a x".into(), ",")),
        format!("secrets:\n env:\n{}", full(|at| format!("  {at:x}:\n"), "")),
        format!("terminal:\n env_passthrough:\n{}", full(|at| format!(" - {at:x}\n"), "")),
    ];
    let files = policies.iter().map(|text| ("hermes-exec.json", text));
    for (name, text) in files.chain(configs.iter().map(|text| ("config.yaml", text))) {
        let scenario = Scenario::new(Size::default());
        scenario.sandbox.write(scenario.sandbox.profile("builder").join(name), text);
        let most = peak_of_a_start(&scenario);
        assert!(most <= 50_000, "{name}: {most} KiB: {}", text.chars().take(60).collect::<String>());
    }
}

#[test]
fn the_binary_has_at_most_2_500_000_bytes() {
    let length = fs::metadata(BINARY).unwrap().len();
    assert!(length <= 2_500_000, "{length} bytes");
}

/// The ELF header as of elf(5), 64-bit: its type, and the types of its segments.
fn elf(program: &[u8]) -> (u64, Vec<u64>) {
    let number = |at: usize, size: usize| {
        let little_endian = program[5] == 1;
        let bytes = &program[at..at + size];
        let digit = |value, byte: &u8| value << 8 | u64::from(*byte);
        if little_endian { bytes.iter().rev().fold(0, digit) } else { bytes.iter().fold(0, digit) }
    };
    assert_eq!(program[..5], *b"\x7fELF\x02", "no 64-bit ELF file");
    let (headers, size, count) = (number(0x20, 8), number(0x36, 2), number(0x38, 2));
    (number(0x10, 2), (0..count).map(|n| number((headers + n * size) as usize, 4)).collect())
}

/// A loader would search and relocate libraries at each start, and an interpreter has to be there: a static binary starts
/// faster than GNU `env`, and in a container of any C library. Position-independent, so that its addresses are random.
#[test]
fn the_binary_is_static_and_position_independent() {
    const ET_DYN: u64 = 3;
    const PT_LOAD: u64 = 1;
    const PT_DYNAMIC: u64 = 2;
    const PT_INTERP: u64 = 3;
    let (kind, segments) = elf(&fs::read(BINARY).unwrap());
    assert_eq!(kind, ET_DYN, "not position-independent");
    assert!(segments.contains(&PT_LOAD) && segments.contains(&PT_DYNAMIC), "{segments:?}");
    assert!(!segments.contains(&PT_INTERP), "it has a loader: {segments:?}");

    let (_, of_a_dynamic_one) = elf(&fs::read("/bin/sh").unwrap());
    assert!(of_a_dynamic_one.contains(&PT_INTERP), "the reader of headers does not see a loader: {of_a_dynamic_one:?}");
}
