//! A made-up messages API on the loopback address, as far as Claude Code needs one for a single answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

pub const ANSWER: &str = "made-up answer";

/// Runs as long as the test program.
pub struct Api {
    pub url: String,
    /// What the questions were signed with.
    tokens: Arc<Mutex<Vec<String>>>,
}

impl Api {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let tokens = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&tokens);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let seen = Arc::clone(&seen);
                thread::spawn(move || answer(stream, &seen));
            }
        });
        Self { url, tokens }
    }

    pub fn tokens(&self) -> Vec<String> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// One request, one answer, and the connection is closed.
fn answer(stream: TcpStream, seen: &Mutex<Vec<String>>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let (mut is_question, mut length, mut token) = (false, 0, None);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim();
        is_question |= line.starts_with("POST /v1/messages");
        match line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value)) {
            Some((name, value)) if name == "content-length" => length = value.parse().ok()?,
            Some((name, value)) if name == "authorization" || name == "x-api-key" => token = Some(value.to_owned()),
            _ if line.is_empty() => break,
            _ => {}
        }
    }
    reader.take(length).read_to_end(&mut Vec::new()).ok()?;
    let mut stream = stream;
    if !is_question {
        stream.write_all(b"HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n").ok()?;
        return None;
    }
    seen.lock().unwrap_or_else(PoisonError::into_inner).extend(token);
    let start = r#"{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[],
        "stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}"#;
    let text =
        format!(r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{ANSWER}"}}}}"#);
    let events = [
        ("message_start", start.replace('\n', "")),
        (
            "content_block_start",
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#.into(),
        ),
        ("content_block_delta", text),
        ("content_block_stop", r#"{"type":"content_block_stop","index":0}"#.into()),
        (
            "message_delta",
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}"#.into(),
        ),
        ("message_stop", r#"{"type":"message_stop"}"#.into()),
    ];
    let body: String = events.iter().map(|(name, data)| format!("event: {name}\ndata: {data}\n\n")).collect();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\ncontent-length";
    stream.write_all(format!("{head}: {}\r\n\r\n{body}", body.len()).as_bytes()).ok()
}
