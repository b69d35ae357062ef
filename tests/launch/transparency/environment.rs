//! The environment block: order, duplicates, bytes, sizes. The situations of the other files all start with the block that
//! [`Twin::new`] makes, with everything in it that a shell would not.

use super::{Twin, odd_entries};

/// A small block with this PATH.
fn with_path(twin: Twin, path: Option<&str>) -> Twin {
    let mut block: Vec<String> = path.iter().map(|path| format!("PATH={path}")).collect();
    block.push(format!("HOME={}", twin.sandbox.real().display()));
    block.push("OPENAI_API_KEY=x".into());
    twin.block(block)
}

/// The block of [`Twin::new`] with more.
fn with_more(more: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Twin {
    let twin = Twin::new();
    let mut block = twin.block.clone();
    block.extend(more.into_iter().map(|entry| entry.as_ref().to_vec()));
    twin.block(block)
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
fn an_empty_environment_and_one_without_an_assignment() {
    Twin::new().block([b""; 0]).is_the_same(|start| start);
    Twin::new().block(odd_entries()).is_the_same(|start| start);
}

#[test]
fn path_unset_empty_and_with_empty_elements() {
    with_path(Twin::new(), None).is_the_same(|start| start);
    for path in ["", ":", "::", ":/usr/bin", "/usr/bin:", "/usr/bin:::/bin", "/usr/bin/:.:relative:/bin//"] {
        with_path(Twin::new(), Some(path)).is_the_same(|start| start);
    }
}

/// X21 and X27: a word that is searched for reaches the program as it was typed, and the kernel gets the path as `execvp`
/// would give it.
#[test]
fn a_word_that_is_searched_for() {
    let mut twin = Twin::new();
    for (path, program) in [("/no/such:TOOLS:/bin", "TOOLS/tool-a"), ("TOOLS/", "TOOLS//tool-a"), ("", "tool-a")] {
        let tools = twin.sandbox.path("tools").display().to_string();
        let place = if path.is_empty() { "work/tool-a" } else { "tools/tool-a" };
        let place = twin.sandbox.link(crate::support::start::example("probe"), place);
        twin.program = program.replace("TOOLS", &tools).into();
        twin = with_path(twin.typed("tool-a"), Some(&path.replace("TOOLS", &tools)));
        let report = twin.is_the_same(|start| start);
        assert!(report.contains("argv 0: tool-a\n"), "{report}");
        std::fs::remove_file(place).unwrap();
    }
}

/// The longest entry that the kernel takes (MAX_ARG_STRLEN less its NUL, execve(2)). macOS bounds only the sum of all.
#[test]
fn four_thousand_variables_and_one_of_131071_bytes() {
    with_more((0..4000).map(|number| format!("VARIABLE_{number}={number}"))).is_the_same(|start| start);
    with_more([format!("LARGE={}", "x".repeat(131_071 - "LARGE=".len()))]).is_the_same(|start| start);
}

/// What a library reads at its own start is no business of ours: it is handed on, and changes nothing here.
#[test]
fn variables_that_libraries_act_on() {
    with_more([
        "LD_PRELOAD=", "LD_LIBRARY_PATH=/no/such", "LD_BIND_NOW=1", "GLIBC_TUNABLES=glibc.malloc.check=1",
        "MALLOC_ARENA_MAX=1", "LC_ALL=xx_YY", "LANG=", "TZ=:", "RUST_BACKTRACE=full", "LOCPATH=/no", "TMPDIR=/no",
    ])
    .is_the_same(|start| start);
}
