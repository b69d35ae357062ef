//! The mount table: by which other paths a file can be reached.

use std::path::Path;

use hermes_exec::plan::seal::mounts::Mounts;

fn others(table: &str, path: &str) -> Vec<String> {
    let found = Mounts::parse(table.as_bytes()).other_paths(Path::new(path));
    found.iter().map(|path| path.display().to_string()).collect()
}

#[test]
fn a_directory_that_is_mounted_twice() {
    let table =
        "22 1 254:0 / / rw - ext4 /dev/vda rw\n30 22 254:0 /home/u/.hermes /mnt/a\\040b rw shared:1 - ext4 x rw\n";
    assert_eq!(others(table, "/home/u/.hermes/.env"), ["/mnt/a b/.env"]);
    assert_eq!(others(table, "/home/u/.hermes"), ["/mnt/a b"]);
    assert_eq!(others(table, "/mnt/a b/.env"), ["/home/u/.hermes/.env"]);
    assert_eq!(others(table, "/home/u/.hermes2/.env"), [""; 0]);
}

#[test]
fn a_file_system_that_is_mounted_as_a_whole_elsewhere() {
    let table =
        "22 1 8:1 / / rw - ext4 x rw\n30 22 8:2 /homes /home rw - ext4 x rw\n31 22 8:2 / /data rw - ext4 x rw\n";
    assert_eq!(others(table, "/home/u/.env"), ["/data/homes/u/.env"]);
}

#[test]
fn a_file_that_is_mounted() {
    let table = "22 1 8:1 / / rw - ext4 x rw\n30 22 8:1 /h/.env /run/secrets/env rw - ext4 x rw\n";
    assert_eq!(others(table, "/h/.env"), ["/run/secrets/env"]);
}

#[test]
fn lines_that_are_none() {
    assert_eq!(others("", "/a"), [""; 0]);
    assert_eq!(others("1 2 3\nnsfs 1 0:4 net:[4026531840] /run/netns/x rw", "/a"), [""; 0]);
}
