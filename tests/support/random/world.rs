//! A machine in memory: a file system with links, a password database, and a kernel that can seal. Plans are made on it in
//! the test's own process, by the thousand.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use hermes_exec::plan::home::HomePlan;
use hermes_exec::plan::home::links::State;
use hermes_exec::world::sealing::{Landlock, Sealing};
use hermes_exec::world::{FileText, Kind, Stat, World};

/// The user to whom everything belongs.
pub const USER: u32 = 1000;
/// That user's home.
pub const REAL: &str = "/home/u";
/// The Hermes root.
pub const ROOT: &str = "/home/u/.hermes";

/// As many links in a row as the kernel follows, and as long a name (path_resolution(7)).
const MOST_LINKS: usize = 40;
const LONGEST_NAME: usize = 255;

#[derive(Clone, Debug)]
enum Node {
    Directory,
    File(Vec<u8>),
    Link(PathBuf),
}

/// See the top of this file.
#[derive(Clone, Debug)]
pub struct Machine {
    /// What is there, with its inode. A path is compared as one text, which costs less than by its parts.
    nodes: BTreeMap<OsString, (u64, Node)>,
    inodes: u64,
    /// The working directory.
    pub cwd: PathBuf,
}

impl Default for Machine {
    /// A real home with a login, a Hermes root with the profiles `builder` and `writer` (which has a home) and its own venv,
    /// a project with a venv, and a few programs.
    fn default() -> Self {
        let mut world = Self { nodes: BTreeMap::new(), inodes: 0, cwd: "/project".into() };
        for dir in [
            "/home/u/.claude", "/home/u/.config/gh", "/home/u/.rustup", "/home/u/.hermes/profiles/builder",
            "/home/u/.hermes/profiles/writer/home", "/project/.venv/bin", "/root",
        ] {
            world.make(Path::new(dir), Node::Directory);
        }
        for file in [
            "/home/u/.claude.json",
            "/home/u/.Xauthority",
            "/home/u/.hermes/hermes-agent/venv/bin/hermes",
            "/home/u/.hermes/hermes-agent/venv/bin/pip",
            "/opt/other/venv/bin/hermes",
            "/usr/bin/claude",
            "/usr/bin/env",
            "/usr/bin/gh",
        ] {
            world.make(Path::new(file), Node::File(Vec::new()));
        }
        world
    }
}

impl Machine {
    /// Makes a directory and its parents. Relative paths count from the root of Hermes. What cannot be made is not.
    pub fn directory(&mut self, path: &Path) {
        self.make(path, Node::Directory);
    }

    /// Writes a file and makes its parents.
    pub fn file(&mut self, path: &Path, text: &[u8]) {
        self.make(path, Node::File(text.to_vec()));
    }

    /// Makes a link and its parents.
    pub fn link(&mut self, path: &Path, text: &Path) {
        if !text.as_os_str().is_empty() {
            self.make(path, Node::Link(text.to_owned()));
        }
    }

    /// Removes whatever is at or below a path.
    pub fn remove(&mut self, path: &Path) {
        let path = Path::new(ROOT).join(path);
        self.nodes.retain(|known, _| !Path::new(known).starts_with(&path));
    }

    fn make(&mut self, path: &Path, node: Node) {
        let path: PathBuf = Path::new(ROOT).join(path).components().collect();
        let fits = |part| match part {
            Component::Normal(name) => name.len() <= LONGEST_NAME,
            part => part == Component::RootDir,
        };
        let above: Vec<_> = path.ancestors().skip(1).collect();
        let is_directory = |dir: &Path| matches!(self.nodes.get(dir.as_os_str()), None | Some((_, Node::Directory)));
        let becomes_directory = matches!(node, Node::Directory) && self.nodes.contains_key(path.as_os_str());
        if becomes_directory || !path.components().all(fits) || !above.iter().all(|dir| is_directory(dir)) {
            return;
        }
        for dir in above.iter().rev() {
            self.inodes += 1;
            self.nodes.entry(dir.as_os_str().to_owned()).or_insert((self.inodes, Node::Directory));
        }
        // Nothing is left below what was a directory.
        self.nodes.retain(|known, _| !Path::new(known).starts_with(&path));
        self.inodes += 1;
        self.nodes.insert(path.into(), (self.inodes, node));
    }

    /// Puts everything on the disk, at the places and with the texts that `placed` gives, where they are `wanted`.
    pub fn lay(&self, placed: impl Fn(&[u8]) -> Vec<u8>, wanted: impl Fn(&Path) -> bool) {
        for (path, (_, node)) in &self.nodes {
            let path = PathBuf::from(OsString::from_vec(placed(path.as_bytes())));
            if !wanted(&path) {
                continue;
            }
            match node {
                Node::Directory => std::fs::create_dir_all(path).unwrap(),
                Node::File(text) => std::fs::write(path, placed(text)).unwrap(),
                Node::Link(text) => {
                    let text = OsString::from_vec(placed(text.as_os_str().as_bytes()));
                    std::os::unix::fs::symlink(text, path).unwrap();
                }
            }
        }
    }

    /// Carries out a plan as a run does before it starts the command.
    pub fn prepare(&mut self, home: &HomePlan) {
        let Some(redirect) = &home.redirect else { return };
        if redirect.make {
            self.directory(&redirect.home);
        }
        for link in &home.links {
            if let (State::Create | State::Replace, Some(target)) = (link.state, &link.target) {
                self.link(&redirect.home.join(&link.place), target);
            }
        }
    }

    /// Where a path leads; with `follows` also through a link at its end.
    fn walk(&self, path: &Path, follows: bool) -> io::Result<PathBuf> {
        if path.as_os_str().is_empty() {
            return Err(ErrorKind::NotFound.into());
        }
        if path.as_os_str().as_bytes().contains(&0) {
            return Err(ErrorKind::InvalidInput.into());
        }
        let parts = |path: &Path| path.components().rev().map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>();
        let mut rest: Vec<OsString> = parts(&self.cwd.join(path));
        let (mut at, mut links) = (PathBuf::from("/"), 0);
        while let Some(part) = rest.pop() {
            match part.as_bytes() {
                b"/" => at = "/".into(),
                b"." => {}
                b".." => drop(at.pop()),
                name if name.len() > LONGEST_NAME => return Err(ErrorKind::InvalidFilename.into()),
                _ => {
                    let next = at.join(&part);
                    match self.nodes.get(next.as_os_str()).map(|(_, node)| node) {
                        None => return Err(ErrorKind::NotFound.into()),
                        Some(Node::Link(_)) if links == MOST_LINKS => return Err(io::Error::other("too many links")),
                        Some(Node::Link(text)) if follows || !rest.is_empty() => {
                            links += 1;
                            rest.extend(parts(text));
                        }
                        Some(Node::File(_) | Node::Link(_)) if !rest.is_empty() => {
                            return Err(ErrorKind::NotADirectory.into());
                        }
                        Some(_) => at = next,
                    }
                }
            }
        }
        Ok(at)
    }

    fn node(&self, path: &Path, follows: bool) -> io::Result<&(u64, Node)> {
        self.nodes.get(self.walk(path, follows)?.as_os_str()).ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn stat_of(&self, path: &Path, follows: bool) -> io::Result<Stat> {
        self.node(path, follows).map(|(inode, node)| Stat {
            kind: kind(node),
            identity: (1, *inode),
            uid: USER,
            gid: USER,
            mode: if matches!(node, Node::File(_)) { 0o644 } else { 0o755 },
        })
    }
}

fn kind(node: &Node) -> Kind {
    match node {
        Node::Directory => Kind::Directory,
        Node::File(_) => Kind::File,
        Node::Link(_) => Kind::Link,
    }
}

impl World for Machine {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.stat_of(path, true)
    }

    fn lstat(&self, path: &Path) -> io::Result<Stat> {
        self.stat_of(path, false)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.walk(path, true)
    }

    fn link_text(&self, path: &Path) -> io::Result<PathBuf> {
        match self.node(path, false)? {
            (_, Node::Link(text)) => Ok(text.clone()),
            _ => Err(ErrorKind::InvalidInput.into()),
        }
    }

    fn writable(&self, path: &Path) -> io::Result<()> {
        self.node(path, true).map(drop)
    }

    fn executable(&self, path: &Path) -> io::Result<()> {
        self.node(path, true).map(drop)
    }

    fn stream(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        match self.text(path, limit) {
            FileText::Found { bytes, .. } => Ok(bytes),
            _ => Err(ErrorKind::NotFound.into()),
        }
    }

    fn text(&self, path: &Path, limit: usize) -> FileText {
        let stat = self.stat(path);
        match self.node(path, true) {
            Ok((_, Node::File(text))) => FileText::Found {
                bytes: text[..text.len().min(limit)].to_vec(),
                is_cut: text.len() > limit,
                stat: stat.unwrap(),
            },
            Ok(_) => FileText::Unreadable("not a regular file".into()),
            Err(error) if error.kind() == ErrorKind::NotFound => FileText::Missing,
            Err(error) => FileText::Unreadable(error.to_string()),
        }
    }

    fn text_of_no_link(&self, path: &Path, limit: usize) -> FileText {
        match self.lstat(path) {
            Ok(stat) if stat.kind == Kind::Link => FileText::Link,
            _ => self.text(path, limit),
        }
    }

    fn head(&self, path: &Path, limit: usize) -> Vec<u8> {
        match self.text(path, limit) {
            FileText::Found { bytes, .. } => bytes,
            _ => Vec::new(),
        }
    }

    fn names(&self, path: &Path) -> Vec<OsString> {
        self.entries(path).unwrap_or_default().into_iter().map(|(name, _)| name).collect()
    }

    fn entries(&self, path: &Path) -> io::Result<Vec<(OsString, Kind)>> {
        let dir = self.walk(path, true)?;
        match self.nodes.get(dir.as_os_str()) {
            Some((_, Node::Directory)) => {}
            _ => return Err(ErrorKind::NotADirectory.into()),
        }
        let inside = self.nodes.iter().map(|(known, (_, node))| (Path::new(known), node));
        let inside = inside.filter(|(known, _)| known.parent() == Some(&dir));
        Ok(inside.map(|(known, node)| (known.file_name().unwrap().to_owned(), kind(node))).collect())
    }

    fn sealing(&self) -> Sealing {
        Sealing { landlock: Landlock::Abi(7), watches_all: false, descriptors: Vec::new(), mounts: Ok(Vec::new()) }
    }

    fn parent_names(&self) -> Option<HashSet<Vec<u8>>> {
        None
    }

    fn cwd(&self) -> Option<PathBuf> {
        self.canonical(&self.cwd).ok()
    }

    fn now(&self) -> u64 {
        0
    }

    fn home_of(&self, uid: u32) -> Option<PathBuf> {
        match uid {
            0 => Some("/root".into()),
            USER => Some(REAL.into()),
            _ => None,
        }
    }

    fn home_of_user(&self, name: &OsStr) -> Option<PathBuf> {
        (name == "u").then(|| OsString::from_vec(REAL.into()).into())
    }
}
