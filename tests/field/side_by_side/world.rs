//! The machine on which the two are compared, and the environments: any names of the catalogue, of Hermes' list and of no
//! list, each with a value of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::{Block, Case};
use crate::support::dice::Dice;
use crate::support::{SELECTING, Sandbox};

/// Declared by the profile's `.env`, whose other name has no secret word, or by its `config.yaml`.
pub const DECLARED: [&str; 3] = ["BILLING_TOKEN", "CRM_PASSWORD", "SIDE_MODEL_ACCESS"];
const DECLARED_SETTING: &str = "BILLING_REGION";

/// A name of Hermes' list that the profile's `config.yaml` wants passed.
pub const REFUSED: &str = "OPENAI_API_KEY";

fn canary(dice: &mut Dice) -> String {
    format!("canary-{:016x}", dice.next())
}

/// What the environments are made of, and what they are made for.
pub struct World {
    /// Hermes' list.
    pub blocked: BTreeSet<String>,
    /// The built-in table: names, with text in place of the `*` of a pattern, and their classes.
    pub catalogue: BTreeMap<String, String>,
    /// The markers of all families.
    pub markers: BTreeSet<String>,
    /// HERMES_HOME of a profile that wants the markers passed.
    pub passing_markers: String,
    /// The packages of Hermes' own venv.
    pub own_packages: String,
    /// All names that a canary may stand in.
    names: Vec<String>,
    profile: String,
    real: String,
    venv: String,
}

impl World {
    pub fn new(sandbox: &Sandbox, blocked: BTreeSet<String>) -> Self {
        let venv = sandbox.hermes_venv("real/.hermes/hermes-agent/venv");
        for name in ["builder", "marked"] {
            let profile = sandbox.profile(name);
            sandbox.mkdir(profile.join("home"));
            let names = format!("export {}=x\n{}='y'\n{DECLARED_SETTING}=z\n", DECLARED[0], DECLARED[1]);
            sandbox.write(profile.join(".env"), names);
            let marker = if name == "marked" { "VIRTUAL_ENV, CONDA_PREFIX" } else { REFUSED };
            let declared = DECLARED[2];
            let text =
                format!("terminal:\n  env_passthrough: [{marker}]\nproviders:\n  side:\n    key_env: {declared}\n");
            sandbox.write(profile.join("config.yaml"), text);
        }
        // A place that a redirected HOME would lose.
        sandbox.mkdir("real/.rustup");

        let rows = |rel: &str| {
            let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(rel)).unwrap();
            let cells = |line: &str| line.split('\t').map(|cell| cell.replace('*', "SAMPLE")).collect();
            text.lines().map(cells).collect::<Vec<Vec<String>>>()
        };
        let table = [rows("src/plan/catalogue/names.tsv"), rows("src/plan/catalogue/patterns.tsv")].concat();
        let catalogue: BTreeMap<_, _> = table.into_iter().map(|cells| (cells[0].clone(), cells[2].clone())).collect();
        let researched = rows("tests/data/catalogue.tsv");
        let families = ["venv-marker", "interpreter-hijack"];
        let marker = |cells: &&Vec<String>| cells[1] == "see-spec" && families.contains(&cells[2].as_str());
        let markers: BTreeSet<_> = researched.iter().filter(marker).map(|cells| cells[0].clone()).collect();

        let researched = researched.into_iter().map(|cells| cells[0].clone());
        let names: BTreeSet<String> = researched.chain(catalogue.keys().cloned()).chain(blocked.clone()).collect();
        // Those that select, and those the value of which is made with care, have one anyway.
        let has_its_own = |name: &str| SELECTING.contains(&name) || ["PATH", "PYTHONPATH"].contains(&name);
        let names: Vec<_> = names.into_iter().filter(|name| !has_its_own(name)).collect();
        assert!(names.len() > 2100 && catalogue.len() > 690 && markers.len() > 40, "the tables have lost their rows");
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        Self {
            blocked,
            catalogue,
            markers,
            passing_markers: text(&sandbox.profile("marked")),
            own_packages: text(&venv.join("lib/python3.11/site-packages")),
            names,
            profile: text(&sandbox.profile("builder")),
            real: text(&sandbox.real()),
            venv: text(&venv),
        }
    }

    /// An environment of a gateway: some names, and what Hermes itself would set.
    pub fn environment(&self, dice: &mut Dice) -> Block {
        let mut block = Block::new();
        for _ in 0..dice.roll(400) {
            let name = self.names[dice.roll(self.names.len())].clone();
            let other = match dice.roll(20) {
                0 => name.to_ascii_lowercase(),
                1 => format!("APPTAINERENV_{name}"),
                2 => format!("_HERMES_FORCE_{name}"),
                3 => format!("UNLISTED_{}", dice.roll(1000)),
                _ => name,
            };
            let canary = canary(dice);
            // One that is a key by its shape, under whatever name.
            let value = if dice.rarely(40) { format!("sk-ant-{canary}") } else { canary };
            block.insert(other, value);
        }
        for name in DECLARED.into_iter().chain([DECLARED_SETTING, REFUSED, "CLAUDE_CODE_OAUTH_TOKEN", "AWS_PROFILE"]) {
            if dice.rarely(4) {
                block.insert(name.into(), canary(dice));
            }
        }
        if dice.rarely(2) {
            block.insert("VIRTUAL_ENV".into(), self.venv.clone());
        }
        if dice.rarely(4) {
            block.insert("CONDA_PREFIX".into(), (*dice.one_of(&["/opt/conda", &self.venv])).into());
        }
        for name in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
            if dice.rarely(4) {
                block.insert(name.into(), format!("{}/.{}", dice.one_of(&[self.real.as_str(), "/srv"]), canary(dice)));
            }
        }
        let some = ["", "/usr/bin", "/usr/bin", "/opt/tools/bin"];
        let parts: Vec<_> = (0..dice.roll(6)).map(|_| *dice.one_of(&some)).collect();
        block.insert("PATH".into(), format!("{}/bin:{}:/bin", self.venv, parts.join(":")));
        if dice.rarely(2) {
            let parts = [self.own_packages.as_str(), "/srv/modules"];
            let from = dice.roll(2);
            block.insert("PYTHONPATH".into(), parts[from..from + 1 + dice.roll(2 - from)].join(":"));
        }
        block.insert("HOME".into(), self.real.clone());
        block.insert("HERMES_HOME".into(), (*dice.one_of(&[&self.profile, &self.passing_markers])).clone());
        if let Some(mode) = [None, Some("profile"), Some("real")][dice.roll(3)] {
            block.insert("TERMINAL_HOME_MODE".into(), mode.into());
        }
        block
    }

    /// Hermes leaves the `bin` of its venv first, and in the foreground drops elements and appends others; hermes-exec puts
    /// it last and leaves all others as they are.
    pub fn is_path_as_described(&self, given: Option<&str>, hermes: Option<&str>, ours: Option<&str>) -> bool {
        let [Some(given), Some(hermes), Some(ours)] = [given, hermes, ours] else { return false };
        let own = format!("{}/bin", self.venv);
        let others = given.strip_prefix(&format!("{own}:")).expect("the venv comes first");
        hermes.starts_with(&own) && ours == format!("{others}:{own}")
    }

    /// Without a word on the mode Hermes leaves HOME as it is, and tells of the real home in any case; hermes-exec takes the
    /// profile's home, and says where that leaves the toolchains.
    pub fn is_home_as_described(&self, case: &Case) -> bool {
        let mode = case.given.get("TERMINAL_HOME_MODE").map(String::as_str);
        let profile = &case.given["HERMES_HOME"];
        let real = Some(self.real.as_str());
        match case.name {
            "HOME" => mode.is_none() && case.hermes == real && case.ours == Some(&format!("{profile}/home")),
            "HERMES_REAL_HOME" => mode == Some("real") && case.hermes == real && case.ours.is_none(),
            "RUSTUP_HOME" => {
                mode != Some("real") && case.given().is_none() && case.ours == Some(&format!("{}/.rustup", self.real))
            }
            _ => false,
        }
    }
}
