//! What happens to a variable, by which rule, and why. One type, from the rules to the reports.
#![forbid(unsafe_code)]

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    Computed = 0,
    Set = 1,
    Unset = 2,
    Keep = 3,
    Catalogue = 4,
    Passthrough = 5,
    Marker = 6,
    Redirect = 7,
    Declared = 8,
    Shape = 9,
    Minimal = 10,
    Kept = 11,
}

impl Rule {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Computed => "computed",
            Self::Set => "set",
            Self::Unset => "unset",
            Self::Keep => "keep",
            Self::Catalogue => "credentials",
            Self::Passthrough => "passthrough",
            Self::Marker => "markers",
            Self::Redirect => "redirect",
            Self::Declared => "declared",
            Self::Shape => "shape of a key",
            Self::Minimal => "minimal",
            Self::Kept => "everything else",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Every copy stays in its place.
    Keep,
    /// Every copy is removed.
    Remove,
    /// One entry with this value.
    Set(Vec<u8>),
    /// The new value of each copy; `None` if the copy is removed.
    Edit(Vec<Option<Vec<u8>>>),
}

impl Change {
    /// One word, for reports.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Keep => "kept",
            Self::Remove => "removed",
            Self::Set(_) => "set",
            Self::Edit(_) => "edited",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub name: Vec<u8>,
    pub change: Change,
    pub rule: Rule,
    /// The catalogue group or the marker family.
    pub group: Option<&'static str>,
    pub reason: &'static str,
}

impl Decision {
    pub fn new(name: &[u8], change: Change, rule: Rule, reason: &'static str) -> Self {
        Self { name: name.to_owned(), change, rule, group: None, reason }
    }

    pub fn keep(name: &[u8], rule: Rule, reason: &'static str) -> Self {
        Self::new(name, Change::Keep, rule, reason)
    }

    pub fn remove(name: &[u8], rule: Rule, reason: &'static str) -> Self {
        Self::new(name, Change::Remove, rule, reason)
    }

    pub fn group(mut self, group: impl Into<Option<&'static str>>) -> Self {
        self.group = group.into();
        self
    }

    pub fn is_removed_by(&self, rule: Rule) -> bool {
        self.change == Change::Remove && self.rule == rule
    }
}
