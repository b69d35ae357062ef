//! The environment block: order, duplicates, bytes, sizes. The situations of the other files all start with the block that
//! [`Twin::new`] makes, with everything in it that a shell would not.

use super::{Twin, odd_entries};

fn block(twin: &Twin, path: Option<&str>) -> Vec<Vec<u8>> {
    let mut block: Vec<Vec<u8>> = path.iter().map(|path| format!("PATH={path}").into_bytes()).collect();
    block.push(format!("HOME={}", twin.sandbox.real().display()).into_bytes());
    block.push(b"OPENAI_API_KEY=x".to_vec());
    block
}

/// X14 to X17: order is kept, every copy of a removed name is gone, nothing is re-encoded.
#[test]
fn a_block_of_every_odd_entry() {
    let twin = Twin::new();
    let report = twin.is_the_same(|start| start);
    let entries: Vec<_> = report.lines().filter_map(|line| line.strip_prefix("env: ")).collect();
    let at = |entry: &str| entries.iter().position(|&known| known == entry).unwrap_or_else(|| panic!("{entry}"));
    let order = ["DUP=first", "DUP=second", "NOEQ", "=weird", "BASH_FUNC_x%%=() { :; }", "NL=a\\nb", "N\\xffAME=1", ""];
    assert!(order.windows(2).all(|pair| at(pair[0]) < at(pair[1])), "the probe sees another order: {entries:?}");
}

/// Thousands of copies of names that go, stay, and are set.
#[test]
fn many_copies_of_every_name() {
    let twin = Twin::new();
    let copies = twin.block.clone().into_iter().cycle().take(twin.block.len() * 20).collect::<Vec<_>>();
    twin.block(copies).is_the_same(|start| start);
}

#[test]
fn a_block_in_the_reverse_order() {
    let twin = Twin::new();
    let reverse: Vec<_> = twin.block.iter().rev().cloned().collect();
    twin.block(reverse).is_the_same(|start| start);
}

#[test]
fn an_empty_environment() {
    Twin::new().block([b""; 0]).is_the_same(|start| start);
}

#[test]
fn nothing_but_entries_that_are_no_assignment() {
    Twin::new().block(odd_entries()).is_the_same(|start| start);
}

#[test]
fn path_unset() {
    let twin = Twin::new();
    let block = block(&twin, None);
    twin.block(block).is_the_same(|start| start);
}

#[test]
fn path_empty() {
    let twin = Twin::new();
    let block = block(&twin, Some(""));
    twin.block(block).is_the_same(|start| start);
}

#[test]
fn path_with_empty_elements() {
    for path in [":", "::", ":/usr/bin", "/usr/bin:", "/usr/bin:::/bin", "/usr/bin/:.:relative:/bin//"] {
        let twin = Twin::new();
        let block = block(&twin, Some(path));
        twin.block(block).is_the_same(|start| start);
    }
}

/// X21 and X27: a word that is searched for reaches the program as it was typed, and the kernel gets the path as `execvp`
/// would give it.
#[test]
fn a_word_that_is_searched_for() {
    let mut twin = Twin::new();
    for (path, program) in [("/no/such:TOOLS:/bin", "TOOLS/tool-a"), ("TOOLS/", "TOOLS//tool-a"), ("", "tool-a")] {
        let tools = twin.sandbox.path("tools").display().to_string();
        let place = twin.sandbox.path(if path.is_empty() { "work/tool-a" } else { "tools/tool-a" });
        twin.sandbox.link(crate::support::start::example("probe"), place);
        twin.program = program.replace("TOOLS", &tools).into();
        let block = block(&twin, Some(&path.replace("TOOLS", &tools)));
        twin = twin.typed("tool-a").block(block);
        let report = twin.is_the_same(|start| start);
        assert!(report.contains("argv 0: tool-a\n"), "{report}");
        std::fs::remove_file(twin.sandbox.path(if path.is_empty() { "work/tool-a" } else { "tools/tool-a" })).unwrap();
    }
}

#[test]
fn four_thousand_variables() {
    let twin = Twin::new();
    let mut block = twin.block.clone();
    block.extend((0..4000).map(|number| format!("VARIABLE_{number}={number}").into_bytes()));
    twin.block(block).is_the_same(|start| start);
}

/// The longest entry that the kernel takes (MAX_ARG_STRLEN less its NUL, execve(2)). macOS bounds only the sum of all.
#[test]
fn a_variable_of_131071_bytes() {
    let twin = Twin::new();
    let mut block = twin.block.clone();
    let mut large = b"LARGE=".to_vec();
    large.resize(131_071, b'x');
    block.push(large);
    twin.block(block).is_the_same(|start| start);
}

/// What a library reads at its own start is no business of ours: it is handed on, and changes nothing here.
#[test]
fn variables_that_libraries_act_on() {
    let twin = Twin::new();
    let mut block = twin.block.clone();
    let names = ["LD_PRELOAD=", "LD_LIBRARY_PATH=/no/such", "LD_BIND_NOW=1", "GLIBC_TUNABLES=glibc.malloc.check=1"];
    let more =
        ["MALLOC_ARENA_MAX=1", "LC_ALL=xx_YY", "LANG=", "TZ=:", "RUST_BACKTRACE=full", "LOCPATH=/no", "TMPDIR=/no"];
    block.extend(names.into_iter().chain(more).map(|entry| entry.as_bytes().to_vec()));
    twin.block(block).is_the_same(|start| start);
}
