//! The checks on the links in the profile's home: each with the path it points to, since that is what a command can read
//! through it, and what a sandbox has to allow.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::case::Case;
use crate::plan::diagnostic::Diagnostic;
use crate::plan::home::items::Item;
use crate::plan::home::links::{Link, State};
use crate::plan::home::{HomePlan, Redirect};
use crate::plan::remedy::{Remedy, as_owner, move_aside};
use crate::text::{escaped_path, os_message, shell_quoted, shell_quoted_path};
use crate::world::Kind;

pub fn checks(case: &Case<'_>) -> Vec<Diagnostic> {
    let Some(home) = &case.plan.home else { return Vec::new() };
    let Some(redirect) = &home.redirect else { return Vec::new() };
    let all = Links { home, redirect, case };
    let moved = all.moved();
    let is_moved = |link: &&Link| moved.as_ref().is_none_or(|(_, places)| !places.contains(&link.place.as_path()));
    let mut checks: Vec<Diagnostic> = home.links.iter().filter(is_moved).map(|link| all.check(link)).collect();
    checks.extend(moved.as_ref().map(|(before, places)| all.repair(before, places)));
    checks.extend(all.kept());
    checks.extend(all.keychain());
    checks.extend(all.portability());
    checks
}

struct Links<'a> {
    home: &'a HomePlan,
    redirect: &'a Redirect,
    case: &'a Case<'a>,
}

impl Links<'_> {
    fn check(&self, link: &Link) -> Diagnostic {
        let place = self.redirect.home.join(&link.place);
        let path = escaped_path(&place);
        let target = link.target.as_deref().map(escaped_path).unwrap_or_default();
        let cure = || self.case.any_run();
        match link.state {
            State::Present => self.present(link, &format!("{path} -> {target}")),
            State::Create => {
                Diagnostic::note("link", format!("{path} -> {target} will be created by the next run")).cure(cure())
            }
            State::Replace => {
                Diagnostic::note("link", format!("{path} -> {target} will replace another symlink")).cure(cure())
            }
            State::SourceMissing => self.without_source(link, &place),
            State::Left => self.left(link, &place),
            State::Refused | State::Skipped => match &link.finding {
                Some(finding) => {
                    let item = shell_quoted(link.item.name().as_bytes());
                    finding.clone().hint(format!("leave it out: --no-share {item}"))
                }
                None if link.place == Path::new(".claude") => {
                    Diagnostic::ok("link", format!("{path} is not linked: CLAUDE_CONFIG_DIR says where claude looks"))
                }
                None => Diagnostic::note("link", format!("{path} is not linked, since .claude is not")),
            },
        }
    }

    fn present(&self, link: &Link, message: &str) -> Diagnostic {
        let world = self.case.input.world;
        let Some(target) = &link.target else { return Diagnostic::ok("link", message) };
        let is_directory = world.stat(target).is_ok_and(|stat| stat.kind == Kind::Directory);
        // Claude Code hangs where it cannot write; of the others a program may only read.
        let writes = link.item == Item::Claude;
        let may = if writes { world.writable(target) } else { world.executable(target) };
        match may {
            Err(error) if is_directory => {
                let what = if writes { "is not writable: claude hangs" } else { "cannot be opened" };
                let open = format!("chmod u+rwx {}", shell_quoted_path(target));
                Diagnostic::problem("link", format!("{message} {what} ({})", os_message(&error))).remedy(as_owner(
                    self.case.owner(target),
                    &open,
                    self.case.input,
                ))
            }
            _ => Diagnostic::ok("link", message),
        }
    }

    fn without_source(&self, link: &Link, place: &Path) -> Diagnostic {
        let world = self.case.input.world;
        let is_dangling = |path: &Path| world.link_text(path).is_ok() && world.stat(path).is_err();
        let message = format!("{}: the real home has none", escaped_path(&link.place));
        let real = self.case.plan.selection.as_ref().and_then(|selection| selection.real.path());
        let source = real.map(|real| real.join(&link.place)).filter(|source| is_dangling(source));
        if is_dangling(place) {
            let path = escaped_path(place);
            Diagnostic::warning("link", format!("{message}, and {path} points to nothing"))
                .cure(format!("rm {}", shell_quoted_path(place)))
        } else if let Some(source) = source {
            Diagnostic::note(
                "link",
                format!("{}: the one in the real home is a symlink that points to nothing", escaped_path(&link.place)),
            )
            .hint(format!("to see it: ls -l {}", shell_quoted_path(&source)))
        } else if matches!(link.item, Item::Path(_)) {
            Diagnostic::note("link", message)
        } else {
            Diagnostic::ok("link", message)
        }
    }

    /// What a program saved while a link was being replaced there, by a run that was killed before it could put it back.
    fn kept(&self) -> Vec<Diagnostic> {
        let dirs: BTreeSet<_> = self.home.links.iter().filter_map(|link| link.place.parent()).collect();
        let mut kept = Vec::new();
        for dir in dirs.into_iter().map(|dir| self.redirect.home.join(dir)) {
            let entries = self.case.input.world.entries(&dir).unwrap_or_default();
            let is_ours = |name: &[u8]| name.starts_with(b".hermes-exec.") && name.ends_with(b".tmp");
            let files = entries.into_iter().filter(|(name, kind)| *kind == Kind::File && is_ours(name.as_bytes()));
            kept.extend(files.map(|(name, _)| dir.join(name)));
        }
        let told = |path: PathBuf| {
            let shown = escaped_path(&path);
            let message = format!("{shown} was saved while a symlink was being replaced there, and lost its name");
            Diagnostic::warning("link", message).hint("move it to where it belongs")
        };
        kept.into_iter().map(told).collect()
    }

    /// The home that links of ours point to and that is not the real home: it was, before it was moved or renamed. And the places
    /// of those links.
    fn moved(&self) -> Option<(PathBuf, Vec<&Path>)> {
        let selection = self.case.plan.selection.as_ref()?;
        let (real, root) = (selection.real.place()?, selection.root.as_ref()?);
        let before = |link: &Link| {
            let text = self.case.input.world.link_text(&self.redirect.home.join(&link.place)).ok()?;
            let before = text.ancestors().nth(link.place.components().count())?.to_owned();
            let is_home = text.is_absolute() && before.join(&link.place) == text && before.parent().is_some();
            let is_known = before == real.spelled || before == real.canonical || before.starts_with(&root.canonical);
            (is_home && !is_known && matches!(link.state, State::Left | State::Skipped)).then_some(before)
        };
        let first = self.home.links.iter().find_map(before)?;
        let leads_there = |link: &&Link| before(link).is_some_and(|before| before == first);
        let places = self.home.links.iter().filter(leads_there).map(|link| link.place.as_path()).collect();
        Some((first, places))
    }

    fn repair(&self, before: &Path, places: &[&Path]) -> Diagnostic {
        let names = places.iter().map(|place| escaped_path(place)).collect::<Vec<_>>().join(", ");
        let message =
            format!("symlinks in the home to {}, which is not your home (any more): {names}", escaped_path(before));
        let links = places.iter().map(|place| shell_quoted_path(&self.redirect.home.join(place)));
        let links = links.collect::<Vec<_>>().join(" ");
        Diagnostic::warning("home-moved", message).cure(format!("rm {links} && {}", self.case.any_run()))
    }

    /// Something of the user's stands in the way; only the user can say that it may go.
    fn left(&self, link: &Link, place: &Path) -> Diagnostic {
        let world = self.case.input.world;
        let message = match &link.finding {
            Some(finding) => finding.message.clone(),
            None => format!("{} is not linked", escaped_path(place)),
        };
        let is_at_place = |kind| world.lstat(place).is_ok_and(|stat| stat.kind == kind);
        let remedy = self.make_way(link);
        if link.item == Item::Claude && is_at_place(Kind::Directory) {
            return match self.case.has_login(place) {
                // On purpose, then.
                true => Diagnostic::ok("link", format!("{message}; claude uses the login in it")),
                false => {
                    let why = "Claude Code creates one when it runs here without hermes-exec, and then does not see the \
                               login in the real home";
                    Diagnostic::warning("link", format!("{message}. {why}")).remedy(remedy)
                }
            };
        }
        let others = self.home.links.iter().filter(|other| other.item == link.item && other.place != link.place);
        let is_half = others.into_iter().any(|other| other.state == State::Present);
        match is_at_place(Kind::File) && is_half {
            true => {
                let message = format!("{message}: it was a symlink, and was replaced by a file");
                Diagnostic::problem("link", message).remedy(remedy)
            }
            false => Diagnostic::warning("link", message).remedy(remedy),
        }
    }

    /// Moves what is in the way of an item's links, and creates them.
    fn make_way(&self, link: &Link) -> Remedy {
        let mut ways: Vec<PathBuf> = Vec::new();
        // Without `.claude` nothing was asked about `.claude.json`, and it would be in the way next.
        let together = |other: &&Link| {
            other.place == link.place
                || (link.item == Item::Claude && other.item == link.item && other.target.is_none())
        };
        for other in self.home.links.iter().filter(together) {
            if let Some(way) = self.obstacle(&other.place).filter(|way| !ways.contains(way)) {
                ways.push(way);
            }
        }
        let input = self.case.input;
        let run = self.case.any_run();
        if let (true, Some(parent)) = (ways.is_empty(), self.redirect.home.join(&link.place).parent()) {
            let open = format!("chmod u+rwx {}", shell_quoted_path(parent));
            return as_owner(self.case.owner(parent), &open, input).then(&run);
        }
        let steps = ways.iter().map(|way| move_aside(way, input.world)).chain([run]);
        Remedy::cure(steps.collect::<Vec<_>>().join(" && "))
    }

    /// The first thing on the way to a link's place that is not a directory, or what is at the place itself.
    fn obstacle(&self, place: &Path) -> Option<PathBuf> {
        let world = self.case.input.world;
        let mut on_the_way: Vec<_> = place.ancestors().filter(|path| !path.as_os_str().is_empty()).collect();
        on_the_way.reverse();
        let paths = on_the_way.into_iter().map(|path| self.redirect.home.join(path));
        let end = self.redirect.home.join(place);
        let mut known = paths.filter_map(|path| Some((world.lstat(&path).ok()?.kind, path)));
        known.find(|(kind, path)| *kind != Kind::Directory || *path == end).map(|(_, path)| path)
    }

    /// On macOS the keychains are not enough: which one is the default is said by a file of its own, which the home can have
    /// where the real home has none.
    fn keychain(&self) -> Option<Diagnostic> {
        let link = |place: &str| self.home.links.iter().find(|link| link.place == Path::new(place));
        let (directory, plist) = (link("Library/Keychains")?, link("Library/Preferences/com.apple.security.plist")?);
        let own = self.redirect.home.join(&plist.place);
        let has_own = plist.state == State::SourceMissing && self.case.input.world.stat(&own).is_ok();
        if has_own && directory.state.leads_there() {
            let message = format!("{} can name another default keychain; the real home has none", escaped_path(&own));
            return Some(Diagnostic::warning("keychain", message).cure(move_aside(&own, self.case.input.world)));
        }
        let is_split = directory.state == State::Present && matches!(plist.state, State::Left | State::Refused);
        let config = self.case.plan.selection.as_ref().and_then(|selection| selection.real.path())?.join(".claude");
        is_split.then(|| {
            let message = "the keychains are linked, but not com.apple.security.plist, which names the default one";
            let config = shell_quoted_path(&config);
            Diagnostic::warning("keychain", message).hint(format!(
                "see its link; if that does not help: --set CLAUDE_CONFIG_DIR={config} in place of another HOME"
            ))
        })
    }

    fn portability(&self) -> Option<Diagnostic> {
        let is_link = |link: &&Link| self.case.input.world.link_text(&self.redirect.home.join(&link.place)).is_ok();
        let count = self.home.links.iter().filter(is_link).count();
        (count > 0).then(|| {
            let message = format!("symlinks in the home: {count}; `hermes profile import` refuses them in an archive");
            Diagnostic::ok("profile-import", message)
                .hint(format!("before an export: {} --unlink", self.case.rerun_command))
        })
    }
}
