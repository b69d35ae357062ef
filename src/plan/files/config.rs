//! The few words of a profile's `config.yaml` that matter here: which names it passes through, and which it declares as
//! credentials. It is parsed only when one of those words is in it, and no alias is ever copied out, so that a file of
//! cycles or of a billion laughs costs what its bytes cost.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use saphyr_parser::{Event, Parser};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// `terminal.env_passthrough` and `tools.env_passthrough`.
    pub passthrough: HashSet<Vec<u8>>,
    /// Every `key_env` by any of its names, `secrets.bitwarden.access_token_env`, and the keys of `secrets.onepassword.env`.
    pub declared: HashSet<Vec<u8>>,
}

/// The setting that names a credential's variable: Hermes reads all four (NousResearch/hermes-agent, version 0.19).
const KEY_ENV: [&str; 4] = ["key_env", "api_key_env", "keyEnv", "apiKeyEnv"];

/// Without one of these words there is nothing to find. Parts of words, of which each stands for several.
const WORDS: [&str; 5] = ["env_passthrough", "key_env", "eyEnv", "access_token_env", "onepassword"];

/// Errors: where it is no YAML: the place, not the text.
pub fn read(text: &[u8]) -> Result<Config, String> {
    let checked = std::str::from_utf8(text);
    // The words are ASCII: they stand in the same places whatever becomes of bytes that are no text.
    let searched = checked.map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed);
    if !WORDS.iter().any(|word| searched.contains(word)) {
        return Ok(Config::default());
    }
    let text = checked.map_err(|_| "it is not UTF-8".to_owned())?;
    let tree = Tree::parse(text.trim_start_matches('\u{feff}'))?;
    let mut config = Config::default();
    for section in ["terminal", "tools"] {
        let list = tree.at(&[section, "env_passthrough"]).map_or(&[][..], |list| tree.items(list));
        config.passthrough.extend(list.iter().filter_map(|&item| tree.text(item)).map(name));
    }
    config.declared.extend(tree.values_of(&KEY_ENV).map(name));
    let token = tree.at(&["secrets", "bitwarden", "access_token_env"]).and_then(|node| tree.text(node));
    config.declared.extend(token.map(name));
    let references = tree.at(&["secrets", "onepassword", "env"]).map_or(&[][..], |map| tree.pairs(map));
    config.declared.extend(references.iter().filter_map(|&(key, _)| tree.text(key)).map(name));
    Ok(config)
}

fn name(text: &str) -> Vec<u8> {
    text.trim().as_bytes().to_vec()
}

enum Node {
    Scalar(String),
    List(Vec<usize>),
    Map(Vec<(usize, usize)>),
    /// Stands for the node with this anchor.
    Alias(usize),
}

/// The first document of a stream, as nodes that name each other by number.
struct Tree {
    nodes: Vec<Node>,
    anchors: HashMap<usize, usize>,
    root: Option<usize>,
}

impl Tree {
    fn parse(text: &str) -> Result<Self, String> {
        let mut tree = Self { nodes: Vec::new(), anchors: HashMap::new(), root: None };
        // The open collections: for a map, the key that waits for its value.
        let mut open: Vec<(usize, Option<usize>)> = Vec::new();
        for event in Parser::new_from_str(text) {
            let (event, _) = event.map_err(|error| {
                format!("it is no YAML, at line {}, column {}", error.marker().line(), error.marker().col() + 1)
            })?;
            let (node, anchor) = match event {
                Event::Scalar(text, _, anchor, _) => (Node::Scalar(text.into_owned()), anchor),
                Event::SequenceStart(anchor, _) => (Node::List(Vec::new()), anchor),
                Event::MappingStart(anchor, _) => (Node::Map(Vec::new()), anchor),
                Event::Alias(anchor) => (Node::Alias(anchor), 0),
                Event::SequenceEnd | Event::MappingEnd => {
                    open.pop();
                    continue;
                }
                Event::DocumentEnd => break,
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => continue,
            };
            let at = tree.nodes.len();
            if anchor != 0 {
                tree.anchors.insert(anchor, at);
            }
            tree.place(at, open.last_mut());
            if matches!(node, Node::List(_) | Node::Map(_)) {
                open.push((at, None));
            }
            tree.nodes.push(node);
        }
        Ok(tree)
    }

    fn place(&mut self, at: usize, open: Option<&mut (usize, Option<usize>)>) {
        let Some((parent, key)) = open else {
            self.root = Some(at);
            return;
        };
        match (&mut self.nodes[*parent], key.take()) {
            (Node::List(items), _) => items.push(at),
            (Node::Map(pairs), Some(key)) => pairs.push((key, at)),
            (Node::Map(_), None) => *key = Some(at),
            (Node::Scalar(_) | Node::Alias(_), _) => {}
        }
    }

    /// The node, or the one that an alias stands for. An alias of an alias there is none.
    fn resolve(&self, at: usize) -> Option<&Node> {
        match &self.nodes[at] {
            Node::Alias(anchor) => self.anchors.get(anchor).map(|&at| &self.nodes[at]),
            node => Some(node),
        }
    }

    fn text(&self, at: usize) -> Option<&str> {
        match self.resolve(at)? {
            Node::Scalar(text) => Some(text),
            _ => None,
        }
    }

    fn items(&self, at: usize) -> &[usize] {
        match self.resolve(at) {
            Some(Node::List(items)) => items,
            _ => &[],
        }
    }

    fn pairs(&self, at: usize) -> &[(usize, usize)] {
        match self.resolve(at) {
            Some(Node::Map(pairs)) => pairs,
            _ => &[],
        }
    }

    /// The node at a path of keys. The last of equal keys counts, as it does for Hermes' reader.
    fn at(&self, path: &[&str]) -> Option<usize> {
        path.iter().try_fold(self.root?, |map, wanted| {
            let mut pairs = self.pairs(map).iter().rev();
            pairs.find(|&&(key, _)| self.text(key) == Some(wanted)).map(|&(_, value)| value)
        })
    }

    /// The texts that stand behind one of these keys anywhere.
    fn values_of(&self, wanted: &[&str]) -> impl Iterator<Item = &str> {
        let maps = self.nodes.iter().filter_map(|node| match node {
            Node::Map(pairs) => Some(pairs),
            _ => None,
        });
        let named = maps.flatten().filter(|&&(key, _)| self.text(key).is_some_and(|key| wanted.contains(&key)));
        named.filter_map(|&(_, value)| self.text(value))
    }
}
