//! The `.env` of a profile as Hermes' own reader finds its names: python-dotenv in the version that Hermes asks for.

use crate::installed;
use crate::support::dice::Dice;
use hermes_exec::plan::files::dotenv;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

/// For each text, in hexadecimal: the names that it assigns, and whether a line of it is wrong. Read as in Hermes'
/// `hermes_cli/env_loader.py`: UTF-8, else Latin-1.
const ASK: &str = "
import io, json, sys
from dotenv.parser import parse_stream
def read(raw, encoding):
    return io.TextIOWrapper(io.BytesIO(raw), encoding=encoding).read()
answers = []
for text in json.load(sys.stdin):
    raw = bytes.fromhex(text)
    try:
        text = read(raw, 'utf-8')
    except UnicodeDecodeError:
        text = read(raw, 'latin-1')
    found = list(parse_stream(io.StringIO(text)))
    names = [binding.key for binding in found if binding.key is not None and binding.value is not None]
    answers.append([sorted(set(names)), any(binding.error for binding in found)])
json.dump(answers, sys.stdout)
";

const PIECES: [&str; 44] = [
    "A_KEY", "B", "c d", "export", "export ", "=", "=", "=", " = ", "'", "\"", "\\", "\\'", "\\\"", "\\\\", "#", " # ",
    "\n", "\n", "\n", "\r", "\r\n", " ", "\t", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x1f", "\x1b", "\u{85}",
    "\u{a0}", "\u{1680}", "\u{180e}", "\u{2000}", "\u{200a}", "\u{200b}", "\u{2028}", "\u{2029}", "\u{202f}",
    "\u{205f}", "\u{3000}", "ü",
];

/// What decides where a quoted value ends.
const QUOTING: [&[u8]; 8] = [b"A='", b"\nB=\"", b"\nC=1\n", b"'", b"\"", b"\\", b"\\\\", b"\n"];

/// Bytes that are no UTF-8, white space of Latin-1 among them.
const OTHER: [&[u8]; 3] = [b"\x85", b"\xa0", b"\xff"];

fn texts() -> Vec<Vec<u8>> {
    let mut dice = Dice(8);
    let text = |_| {
        let (is_latin, is_of_quotes) = (dice.rarely(5), dice.rarely(3));
        let pieces = 1 + dice.roll(24);
        let mut piece = || match (is_of_quotes, is_latin && dice.rarely(4)) {
            (true, _) => *dice.one_of(&QUOTING),
            (_, true) => *dice.one_of(&OTHER),
            _ => dice.one_of(&PIECES).as_bytes(),
        };
        (0..pieces).map(|_| piece()).collect::<Vec<_>>().concat()
    };
    (0..40_000).map(text).collect()
}

fn ask(texts: &[Vec<u8>]) -> Vec<(BTreeSet<String>, bool)> {
    let hexadecimal = |text: &Vec<u8>| text.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let question = json!(texts.iter().map(hexadecimal).collect::<Vec<_>>()).to_string();
    let mut python = Command::new(installed("hermes-agent/bin/python"));
    let mut python = python.args(["-c", ASK]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    python.stdin.take().unwrap().write_all(question.as_bytes()).unwrap();
    let answers: Value = serde_json::from_slice(&python.wait_with_output().unwrap().stdout).unwrap();
    let names =
        |answer: &Value| answer[0].as_array().unwrap().iter().map(|name| name.as_str().unwrap().into()).collect();
    answers.as_array().unwrap().iter().map(|answer| (names(answer), answer[1].as_bool().unwrap())).collect()
}

/// All names that it finds; and no others, but where a line is wrong or a backslash is read otherwise by a later version.
#[test]
fn a_dotenv_assigns_the_names_that_python_dotenv_finds() {
    let texts = texts();
    let mut exact = 0;
    for (text, (expected, is_wrong)) in texts.iter().zip(ask(&texts)) {
        // Python reads every end of a line as `\n`.
        let plain = |name: Vec<u8>| String::from_utf8(name).unwrap().replace("\r\n", "\n").replace('\r', "\n");
        let found: BTreeSet<_> = dotenv::names(text).into_iter().map(plain).collect();
        let shown = text.escape_ascii();
        assert!(found.is_superset(&expected), "{shown}: {found:?}, and not {expected:?}");
        if !is_wrong && !text.contains(&b'\\') {
            assert_eq!(found, expected, "{shown}");
            exact += 1;
        }
    }
    assert!(exact > texts.len() / 20, "{exact}");
}
