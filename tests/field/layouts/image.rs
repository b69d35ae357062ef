//! The first line of the README's recipe for containers: in Hermes' own image the binary is copied there, and nothing else.

use super::place::{Layout, Row};
use crate::agent::{TERMINAL, said};
use crate::direct;
use crate::recipes::block;
use crate::support::BINARY;

#[test]
fn w35_the_copied_binary_in_the_agents_terminal_of_the_image() {
    let layout = Layout::new(Row::Container);
    let text = block("A container");
    let copy = text.lines().next().expect("a line");
    let to = copy.strip_prefix("COPY hermes-exec /usr/local/bin/").expect("into a directory of the image's PATH");
    layout.sandbox.copied(format!("usr-local-bin/{to}"), BINARY.as_ref());
    layout.sandbox.mkdir(layout.on_disk(&layout.root).join("profiles/builder/home"));

    let python = layout.venv.join("bin/python");
    let script = "echo ${MY_TOKEN+there}; hermes-exec -- sh -c 'echo $HOME ${MY_TOKEN-none}; command -v python3'";
    let run = direct(&layout.sandbox, &[python.to_str().unwrap(), "-c", TERMINAL, "/", script]);
    let run =
        run.env("HERMES_HOME", layout.root.join("profiles/builder")).env("MY_TOKEN", "sk-ant-made-up-made-up-made-up");
    let bin = layout.sandbox.path("usr-local-bin");
    let run = layout.at_its_place(run).mounted(&format!("/bin/mount --bind '{}' /usr/local/bin", bin.display()));
    let home = "/opt/data/profiles/builder/home";
    assert_eq!(said(&run.run()), format!("there\n{home} none\n/usr/bin/python3\n"));
}
