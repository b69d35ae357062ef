//! A made-up model on the loopback address, for agents that are to be real.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::{Sandbox, spawn};
use crate::system;

/// A model that calls tools and then says what the last of them said.
pub struct Model {
    server: Child,
    port: u16,
    log: PathBuf,
}

impl Model {
    pub fn new(sandbox: &Sandbox, calls: &[Value]) -> Self {
        let log = sandbox.path("model.log");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/field/models.py");
        let mut python = Command::new(system("python3"));
        python.arg(script).arg(&log).args(calls.iter().map(Value::to_string)).stdout(Stdio::piped());
        let mut server = spawn(&mut python);
        let mut port = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { server, port: port.trim().parse().expect("a port"), log }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What it was asked, one object for each request.
    pub fn asked(&self) -> Vec<Value> {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
