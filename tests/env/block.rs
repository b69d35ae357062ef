//! The environment block: the first copy of a name, and names that are set.

use hermes_exec::environ::Environ;

use crate::support::random::case;

fn block(entries: &[&str]) -> Environ {
    case::block(entries.iter().map(|entry| entry.as_bytes()))
}

#[test]
fn a_name_that_is_set_stands_once_at_the_place_of_its_first_copy() {
    let mut environ = block(&["A=1", "B=2", "A=3", "NOEQ", "=odd", "A="]);
    environ.set(b"A", b"new");
    assert_eq!(environ, block(&["A=new", "B=2", "NOEQ", "=odd"]));
    environ.set(b"C", b"");
    assert_eq!(environ, block(&["A=new", "B=2", "NOEQ", "=odd", "C="]));
}

#[test]
fn the_first_copy_counts_and_blank_counts_as_unset() {
    let environ = block(&["A= \t", "A=x", "=A=y", "AB=z"]);
    assert_eq!(environ.get(b"A"), Some(&b" \t"[..]));
    assert_eq!(environ.given(b"A"), None);
    assert_eq!(environ.copies(b"A").count(), 2);
    assert_eq!(environ.get(b""), None);
}
