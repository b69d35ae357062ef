//! `cargo bench`: what a start of hermes-exec adds to a start of the command, beside other ways to the same end. It prints
//! the tables for the README, and draws its picture, `man/speed.svg`, with `SNAPSHOTS=overwrite`. Each figure comes from starts that were made in turn, contestant after contestant, so that
//! whatever else the machine does hits all of them; compare the ratios, and trust the milliseconds of a quiet machine only.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use std::ffi::{CStr, CString};
use std::fs::{self, File};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use nix::errno::Errno;
use nix::fcntl::OFlag;
#[cfg(target_os = "linux")]
use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};
use nix::libc;
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, posix_spawn};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::stat::Mode;
use support::Sandbox;
use support::picture::{self, Bar};
use support::scenario::{GOING, Scenario, Size};

/// So often everybody has a turn of several starts.
const ROUNDS: usize = 31;
/// The starts of a turn, of which the median counts.
const STARTS: usize = 20;

/// The least that a program can do which is put in front of another.
const FLOOR: &str = "#include <unistd.h>
extern char **environ;
int main(int argc, char **argv) { execve(argv[1], argv + 1, environ); return argc; }
";

/// One way to start `true`.
struct Contestant {
    /// What the table calls it.
    name: &'static str,
    argv: Vec<CString>,
    /// For each round, the medians of its starts, in milliseconds.
    wall: Vec<f64>,
    cpu: Vec<f64>,
}

impl Contestant {
    fn new(name: &'static str, program: impl AsRef<Path>, words: &[&str]) -> Self {
        let program = CString::new(program.as_ref().as_os_str().as_bytes()).unwrap();
        let words = words.iter().map(|word| CString::new(*word).unwrap());
        Self { name, argv: std::iter::once(program).chain(words).collect(), wall: Vec::new(), cpu: Vec::new() }
    }
}

fn main() {
    let scenario = Scenario::new(Size::default());
    std::env::set_current_dir(scenario.sandbox.path("work")).unwrap();
    let mut contestants = contestants(&scenario);
    println!("{}\n", machine());
    println!(
        "{ROUNDS} rounds of {STARTS} starts, in turn; 60 variables, a PATH of 12 elements, a `.env` of 30 names, a"
    );
    println!("`config.yaml` of 400 lines, the home and its four links present:\n");
    race(&mut contestants, &block(&scenario), ROUNDS, STARTS);
    print_contest(&contestants);
    if picture::is_to_be_drawn() {
        draw(&contestants);
    }
    println!("\nGrowth: what is added, in milliseconds; medians of 15 rounds of 5 starts, in turn:\n");
    print_growth();
    println!("\nLoad at the end: {}", load());
}

/// Everybody who is here.
fn contestants(scenario: &Scenario) -> Vec<Contestant> {
    let home = format!("HOME={}", scenario.sandbox.home().display());
    let unset: Vec<&str> = GOING.iter().flat_map(|name| ["-u", name]).collect();
    let shell = format!("unset {}; exec \"$@\"", GOING.join(" "));
    let mut all = vec![Contestant::new("nothing", TRUE, &[])];
    all.extend(floor(&scenario.sandbox));
    all.push(hermes_exec(HERMES_EXEC, &scenario.sandbox, "true"));
    all.push(hermes_exec("the same, with the path `/usr/bin/true`", &scenario.sandbox, TRUE));
    let anew = scenario.sandbox.copied("anew/hermes-exec", &scenario.sandbox.copied_binary());
    leave_the_page_cache(&anew);
    all.push(Contestant::new("the same by name, read in anew by its starts", anew, &["-p", "builder", "--", "true"]));
    all.push(Contestant::new(ENV, "/usr/bin/env", &[&unset[..], &[&home, "true"]].concat()));
    all.push(Contestant::new("`sh -c 'unset …; exec \"$@\"'`", "/bin/sh", &["-c", &shell, "sh", "true"]));

    let project = scenario.sandbox.path("work").display().to_string();
    scenario.sandbox.write("work/.envrc", format!("unset {}\nexport {home}\n", GOING.join(" ")));
    let gone: Vec<&str> = GOING.iter().flat_map(|name| ["--unsetenv", name]).collect();
    let bwrap = [&["--dev-bind", "/", "/"], &gone[..], &["true"]].concat();
    for (name, tool, words) in [
        ("`direnv exec`", "direnv", &["exec", &project, "true"][..]),
        ("`bwrap --dev-bind / / --unsetenv …`", "bwrap", &bwrap),
        ("`sudo -n`", "sudo", &["-n", "true"]),
        ("`firejail --quiet --noprofile`", "firejail", &["--quiet", "--noprofile", "true"]),
    ] {
        let path = Path::new("/usr/bin").join(tool);
        match path.exists() {
            true => all.push(Contestant::new(name, path, words)),
            false => println!("{tool} is not installed, and has no row."),
        }
    }
    let block = block(scenario);
    // direnv evaluates no file that its user has not allowed.
    let direnv = Contestant::new("", "/usr/bin/direnv", &["allow", &project]);
    let _ = start(&direnv.argv, &block);
    all.retain(|contestant| {
        let works = start(&contestant.argv, &block).is_some();
        if !works {
            println!("{} does not work here, and has no row.", contestant.name);
        }
        works
    });
    all
}

const HERMES_EXEC: &str = "**`hermes-exec -p builder --`**";
const ENV: &str = "GNU `env`, four `-u`, one assignment";
const STATIC_C: &str = "a static C program that only calls `execve`";

/// As it is where somebody has installed it: a copy. Written so, it lies in the page cache in large pieces that a start maps
/// at once, until a reboot (seen on Linux 6.18, ext4).
fn hermes_exec(name: &'static str, sandbox: &Sandbox, command: &str) -> Contestant {
    Contestant::new(name, sandbox.copied_binary(), &["-p", "builder", "--", command])
}

/// Makes the kernel read a file in anew when it is started, as after a reboot: page by page, which a start maps one by one.
fn leave_the_page_cache(file: &Path) {
    let file = File::open(file).unwrap();
    file.sync_all().unwrap();
    #[cfg(target_os = "linux")]
    posix_fadvise(&file, 0, 0, PosixFadviseAdvice::POSIX_FADV_DONTNEED).unwrap();
}

/// The command itself. Who is given its name finds it in the last but one of twelve directories; the C program cannot
/// search, and is given its path.
const TRUE: &str = "/usr/bin/true";

fn floor(sandbox: &Sandbox) -> Option<Contestant> {
    let source = sandbox.write("floor.c", FLOOR);
    let program = sandbox.path("floor");
    let compiler = Command::new("cc").args(["-O2", "-static", "-o"]).arg(&program).arg(source).status();
    if !compiler.is_ok_and(|status| status.success()) {
        println!("cc is missing or cannot link statically: there is no C program to compare with.");
        return None;
    }
    Some(Contestant::new(STATIC_C, program, &[TRUE]))
}

fn block(scenario: &Scenario) -> Vec<CString> {
    scenario.block.iter().map(|entry| CString::new(entry.as_slice()).unwrap()).collect()
}

/// Rounds of starts in turn.
fn race(contestants: &mut [Contestant], block: &[CString], rounds: usize, starts: usize) {
    let mut times = vec![(Vec::new(), Vec::new()); contestants.len()];
    for round in 0..rounds {
        for turn in 0..starts {
            for place in 0..contestants.len() {
                // Everybody comes first now and then, and nobody always follows the same other.
                let place = if round % 2 == 0 { place } else { contestants.len() - 1 - place };
                let at = (place + round + turn) % contestants.len();
                let (wall, cpu) = start(&contestants[at].argv, block).expect("it has worked before");
                times[at].0.push(wall);
                times[at].1.push(cpu);
            }
        }
        for (contestant, (wall, cpu)) in contestants.iter_mut().zip(&mut times) {
            contestant.wall.push(median(wall));
            contestant.cpu.push(median(cpu));
            wall.clear();
            cpu.clear();
        }
    }
}

/// One start and its end: milliseconds by the clock, and of processor time. None when it fails.
fn start(argv: &[CString], block: &[CString]) -> Option<(f64, f64)> {
    let mut quiet = PosixSpawnFileActions::init().unwrap();
    quiet.add_open(1, c"/dev/null", OFlag::O_WRONLY, Mode::empty()).unwrap();
    quiet.add_open(2, c"/dev/null", OFlag::O_WRONLY, Mode::empty()).unwrap();
    let attributes = PosixSpawnAttr::init().unwrap();
    let program: &CStr = &argv[0];
    let begin = Instant::now();
    let child = posix_spawn(program, &quiet, &attributes, argv, block).ok()?;
    let (mut status, mut usage) = (0, MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: both pointers are to variables of the right type.
    let waited = Errno::result(unsafe { libc::wait4(child.as_raw(), &mut status, 0, usage.as_mut_ptr()) });
    let wall = begin.elapsed().as_secs_f64() * 1e3;
    waited.unwrap();
    // SAFETY: of integers only, for which zero is a value.
    let usage = unsafe { usage.assume_init() };
    let milliseconds = |time: libc::timeval| time.tv_sec as f64 * 1e3 + time.tv_usec as f64 / 1e3;
    (status == 0).then(|| (wall, milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime)))
}

/// The picture of the README: what everybody adds, `true` excepted.
fn draw(contestants: &[Contestant]) {
    let (nothing, others) = contestants.split_first().expect("`true` comes first");
    let bar = |contestant: &Contestant| Bar {
        name: contestant.name.replace(['`', '*'], ""),
        value: median(&mut added(&contestant.wall, &nothing.wall)),
        is_ours: contestant.name == HERMES_EXEC,
    };
    let title = "What a start adds, in milliseconds";
    picture::is_drawn("speed.svg", &picture::bars(title, &others.iter().map(bar).collect::<Vec<_>>(), 4.0));
}

fn print_contest(contestants: &[Contestant]) {
    let named = |name| contestants.iter().find(|contestant| contestant.name == name);
    let (nothing, env, floor) = (&contestants[0], named(ENV), named(STATIC_C));
    println!(
        "| in front of `true` | adds, ms (quartiles) | times what `env` adds | times the C program | processor, ms |"
    );
    println!("|---|---|---|---|---|");
    for contestant in contestants {
        let mut added = added(&contestant.wall, &nothing.wall);
        let mut cpu = self::added(&contestant.cpu, &nothing.cpu);
        let ratio = |to: Option<&Contestant>| match to {
            Some(to) => format!("{:.2}", ratio(&contestant.wall, &to.wall, &nothing.wall)),
            None => "–".into(),
        };
        if std::ptr::eq(contestant, nothing) {
            let (wall, cpu) = (median(&mut nothing.wall.clone()), median(&mut nothing.cpu.clone()));
            println!("| nothing | a start takes {wall:.2} | | | a start takes {cpu:.2} |");
            continue;
        }
        let (low, high) = (quantile(&mut added, 0.25), quantile(&mut added, 0.75));
        println!(
            "| {} | {:.2} ({low:.2}–{high:.2}) | {} | {} | {:.2} |",
            contestant.name,
            median(&mut added),
            ratio(env),
            ratio(floor),
            median(&mut cpu)
        );
    }
}

fn print_growth() {
    // 100,000 variables are more than the kernel takes with the usual limit of 8 MB for the stack (execve(2)).
    let (_, most) = getrlimit(Resource::RLIMIT_STACK).unwrap();
    setrlimit(Resource::RLIMIT_STACK, most.min(64 << 20), most).unwrap();
    let variables = [10, 100, 1_000, 10_000, 100_000];
    let lines = [0, 100, 1_000, 10_000];
    let size = Size::default();
    println!("| | a start itself | `env` adds | `hermes-exec` adds |\n|---|---|---|---|");
    for variables in variables {
        growth(&format!("{} variables", grouped(variables)), Size { variables, ..size });
    }
    for dotenv in lines {
        growth(&format!("{} lines of `.env`", grouped(dotenv)), Size { dotenv, ..size });
    }
    for config in lines {
        growth(&format!("{} lines of `config.yaml`", grouped(config)), Size { config, ..size });
    }
    for config in &lines[1..] {
        let label = format!("{} lines of `config.yaml` with a word for which it is parsed", grouped(*config));
        growth(&label, Size { config: *config, parsed: true, ..size });
    }
}

fn growth(label: &str, size: Size) {
    let scenario = Scenario::new(size);
    let unset: Vec<&str> = GOING.iter().flat_map(|name| ["-u", name]).collect();
    let home = format!("HOME={}", scenario.sandbox.home().display());
    let mut contestants = vec![
        Contestant::new("nothing", TRUE, &[]),
        Contestant::new(ENV, "/usr/bin/env", &[&unset[..], &[&home, "true"]].concat()),
        hermes_exec("hermes-exec", &scenario.sandbox, "true"),
    ];
    let block = block(&scenario);
    if contestants.iter().any(|contestant| start(&contestant.argv, &block).is_none()) {
        println!("| {label} | more than the kernel takes here | | |");
        return;
    }
    race(&mut contestants, &block, 15, 5);
    let [nothing, env, ours] = &contestants[..] else { unreachable!("there are three") };
    println!(
        "| {label} | {:.2} | {:.2} | {:.2} |",
        median(&mut nothing.wall.clone()),
        median(&mut added(&env.wall, &nothing.wall)),
        median(&mut added(&ours.wall, &nothing.wall))
    );
}

/// What each round's median is above that of the bare command.
fn added(times: &[f64], nothing: &[f64]) -> Vec<f64> {
    times.iter().zip(nothing).map(|(time, nothing)| time - nothing).collect()
}

/// How many times as much one adds as the other, round by round.
fn ratio(times: &[f64], others: &[f64], nothing: &[f64]) -> f64 {
    median(
        &mut added(times, nothing)
            .iter()
            .zip(added(others, nothing))
            .map(|(one, other)| one / other)
            .collect::<Vec<_>>(),
    )
}

fn median(values: &mut [f64]) -> f64 {
    quantile(values, 0.5)
}

fn quantile(values: &mut [f64], part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * part).round() as usize]
}

/// `100,000`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

/// The machine in a line.
fn machine() -> String {
    let uname = Command::new("uname").arg("-srm").stderr(Stdio::null()).output().unwrap();
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": processor unknown");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{}, {}, {cores} cores, load {}",
        String::from_utf8_lossy(&uname.stdout).trim(),
        model.trim_start_matches(['\t', ' ', ':']),
        load()
    )
}

fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}
